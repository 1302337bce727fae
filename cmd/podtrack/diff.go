package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "say in what two runs' specs differ and where their records part",
		ArgsUsage: "A B",
		Flags: []cli.Flag{
			storeFlag(), jsonFlag(),
			&cli.StringFlag{Name: "other", Usage: "look for B in the store `FILE`"},
		},
		Action: diff,
	}
}

// runDifference is what diff prints.
type runDifference struct {
	A         schema.Digest           `json:"a"`
	B         schema.Digest           `json:"b"`
	Identical bool                    `json:"identical"` // as many iterations, every record equal by digest
	Parted    *report.Parting         `json:"parted"`    // nil where one is the beginning of the other
	Spec      []report.SpecDifference `json:"spec"`

	iterations [2]int
}

func diff(c *cli.Context) error {
	if c.NArg() != 2 {
		return schema.Hint(fmt.Errorf("diff takes two runs, not %d", c.NArg()), "podtrack diff A B; podtrack ls lists the runs")
	}
	other := openStore(c)
	if path := c.String("other"); path != "" {
		other = tracker.New(path, tracker.Options{})
	}
	a, ofA, err := recordedRun(c, openStore(c), c.Args().Get(0))
	if err != nil {
		return err
	}
	b, ofB, err := recordedRun(c, other, c.Args().Get(1))
	if err != nil {
		return err
	}
	d := runDifference{A: a.ID, B: b.ID, Parted: report.Part(ofA, ofB), Spec: report.SpecDifferences(a.Spec, b.Spec), iterations: [2]int{len(ofA), len(ofB)}}
	d.Identical = d.Parted == nil && len(ofA) == len(ofB)
	if c.Bool("json") {
		err = printJSON(c.App.Writer, d)
	} else {
		err = printDifference(c.App.Writer, d)
	}
	if err == nil && !d.Identical {
		err = errSilentDifference
	}
	return err
}

func recordedRun(c *cli.Context, store *tracker.Store, ref string) (r report.Run, iterations []schema.Iteration, err error) {
	err = store.View(c.Context, func(tx *tracker.Tx) error {
		if r, err = report.One(tx, ref); err != nil {
			return err
		}
		iterations, err = tx.Iterations(r.ID)
		return err
	})
	return r, iterations, err
}

func printDifference(w io.Writer, d runDifference) error {
	g := &grid{columns: []string{"field", "a", "b"}}
	for _, f := range d.Spec {
		g.add(f.Field, f.A, f.B)
	}
	if len(d.Spec) > 0 {
		if err := g.print(w, formats[0]); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	switch {
	case d.Identical:
		fmt.Fprintf(w, "identical: all records of %d iterations\n", d.iterations[0])
	case d.Parted != nil:
		fmt.Fprintf(w, "they part in iteration %d, %s: all records before are identical\n", d.Parted.K, d.Parted.Stage)
	default:
		fmt.Fprintf(w, "all records of %d iterations are identical; a has %d iterations and b has %d\n",
			min(d.iterations[0], d.iterations[1]), d.iterations[0], d.iterations[1])
	}
	return nil
}
