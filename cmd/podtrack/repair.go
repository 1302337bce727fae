package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func repairCommand() *cli.Command {
	return &cli.Command{
		Name:      "repair",
		Usage:     "bring back what is damaged or missing, by computing it again, and prove it",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `What is sound in the store goes into a new file, the rest is computed again from what
is left and counts only if its digest is the one that the chain names. The new file then takes the
old one's place, which stays beside it as .damaged. Where nothing is wrong, nothing is changed.`,
		Flags: []cli.Flag{
			storeFlag(), jsonFlag(),
		},
		Action: repair,
	}
}

// repaired is what a repair did.
type repaired struct {
	tracker.Salvaged
	Runs []replay.RepairedRun `json:"repaired"`
	Old  string               `json:"old"` // where the damaged file is now, "" where nothing was changed

	runs map[schema.Digest]report.Run
}

func repair(c *cli.Context) error {
	rescue, err := openStore(c).Rescue(c.Context)
	if err != nil {
		return err
	}
	defer rescue.Close()
	out := repaired{Salvaged: rescue.Found}
	wanted, err := out.choose(c, rescue.New)
	if err != nil {
		return err
	}
	of := func(id schema.Digest) bool { return wanted == nil || wanted[id] }
	if out.Runs, err = replay.Repair(c.Context, rescue, of, nil); err != nil {
		return err
	}
	if out.changed() {
		if out.Old, err = rescue.Replace(); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, out)
	} else {
		err = out.print(c.App.Writer)
	}
	if err == nil && out.incomplete() {
		err = schema.Hint(fmt.Errorf("%w: not all could be restored", errDifference), "what is lost is listed; a run that is removed and run again has the same records")
	}
	return err
}

// choose finds the runs that the arguments name, all for none, and how to call
// them.
func (r *repaired) choose(c *cli.Context, store *tracker.Store) (wanted map[schema.Digest]bool, err error) {
	r.runs = map[schema.Digest]report.Run{}
	err = store.View(c.Context, func(tx *tracker.Tx) error {
		selected, err := report.Select(tx, c.Args().Slice())
		if err != nil {
			return err
		}
		if c.NArg() > 0 {
			wanted = map[schema.Digest]bool{}
		}
		for _, run := range selected {
			r.runs[run.ID] = run
			if wanted != nil {
				wanted[run.ID] = true
			}
		}
		return nil
	})
	return wanted, err
}

// changed says whether there was anything to mend.
func (r *repaired) changed() bool {
	if len(r.Pages)+len(r.Rows)+len(r.Gaps) > 0 {
		return true
	}
	for _, run := range r.Runs {
		if len(run.Back) > 0 {
			return true
		}
	}
	return false
}

// incomplete says whether something is lost.
func (r *repaired) incomplete() bool {
	for _, run := range r.Runs {
		if run.Failed != "" || len(run.Lost) > 0 {
			return true
		}
	}
	return len(r.Rows) > 0
}

func (r *repaired) print(w io.Writer) error {
	for _, p := range r.Pages {
		fmt.Fprintf(w, "file: %s\n", p)
	}
	back := 0
	for _, run := range r.Runs {
		back += len(run.Back)
		r.printRun(w, run)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(w, "lost: %s\n", row.What)
	}
	if r.Old == "" && !r.incomplete() {
		_, err := fmt.Fprintf(w, "nothing to repair: %d records of %d runs are as they should be\n", r.Records, len(r.Runs))
		return err
	}
	fmt.Fprintf(w, "%d records were sound, %d were computed again and have their old digests\n", r.Records, back)
	if r.Old != "" {
		fmt.Fprintf(w, "the damaged file is now %s\n", r.Old)
	}
	return nil
}

func (r *repaired) printRun(w io.Writer, run replay.RepairedRun) {
	label := r.runs[run.Run].Label()
	for _, b := range run.Back {
		fmt.Fprintf(w, "restored: run %s, iteration %d, %s %.12s\n", label, b.K, b.Kind, b.Digest)
	}
	for _, k := range run.Remade {
		fmt.Fprintf(w, "restored: run %s, iteration %d, its row\n", label, k)
	}
	for _, l := range run.Lost {
		fmt.Fprintf(w, "lost: run %s, iteration %d, %s %.12s: %s\n", label, l.K, l.Kind, l.Digest, l.Reason)
	}
	if run.Failed != "" {
		fmt.Fprintf(w, "lost: run %s: %s\n", label, run.Failed)
	}
	if was := r.runs[run.Run]; r.changed() && len(run.Remade) == 0 && was.Iterations < was.Target {
		fmt.Fprintf(w, "run %s has %d of %d iterations; podtrack resume %s goes on\n", label, was.Iterations, was.Target, label)
	}
}
