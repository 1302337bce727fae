package command

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"

	"github.com/urfave/cli/v2"
)

// merging is the command merge, with its flags.
type merging struct{ sealed bool }

func mergeCommand() *cli.Command {
	var g merging
	return &cli.Command{
		Name:      "merge",
		Usage:     "take the runs of other stores or bundles into this one",
		ArgsUsage: "FILE…",
		Description: `A run that is not here comes whole; one that is shorter here is completed; where
an iteration has another link here, the one here stays. Each record, row and link is
verified first. Plans of sweeps are added to those here. What is here of the same
runs is verified, too: a record that is damaged or missing here is replaced by the one
in FILE. Exits 1 where a run differs or is refused, or a record was damaged; the others
are merged.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Flag(&g.sealed, "sealed", "FILEs are parts of a sweep: trust what was verified when they were sealed, "+
				"and check only each file's SHA-256"),
		},
		Action: cmdline.Answering(g.merge),
	}
}

func (g *merging) merge(c *cli.Context) (a cmdline.Answer, err error) {
	if c.NArg() == 0 {
		return a, schema.Hint(errors.New("merge takes files"), "podtrack merge FILE… --store STORE")
	}
	sources, err := mergeSources(c)
	if err == nil {
		err = cmdline.OpenStore(c).Create(c.Context)
	}
	if err != nil {
		return a, cmdline.StoppedMerge(err)
	}
	m, failure := g.mergeAll(c, sources)
	m.notify(c.App.ErrWriter, cmdline.StorePath(c))
	return cmdline.Answer{
		JSON: m, Text: m.print, Verdict: cmp.Or(cmdline.StoppedMerge(failure), m.verdict(cmdline.StorePath(c))),
	}, nil
}

// mergeSources opens the stores that the arguments name, before anything is written. It fails if
// one cannot be opened or is the destination.
func mergeSources(c *cli.Context) (sources []*tracker.Store, err error) {
	for _, path := range c.Args().Slice() {
		from := cmdline.StoreAt(c, path)
		err := from.View(c.Context, func(*tracker.Tx) error { return nil })
		switch {
		case errors.Is(err, tracker.ErrNoStore):
			return nil, schema.Hint(err, "give the path of a bundle or of another store")
		case err != nil:
			return nil, err
		case tracker.SameFile(from, cmdline.OpenStore(c)):
			return nil, schema.Hint(fmt.Errorf("merge %s into itself", path),
				"--store or PODTRACK_STORE say which store to merge into; this is %s", cmdline.StorePath(c))
		}
		sources = append(sources, from)
	}
	return sources, nil
}

// mergeAll merges the stores one after another. With an error, it returns the report on the stores
// merged before.
func (g *merging) mergeAll(c *cli.Context, sources []*tracker.Store) (m mergeReport, err error) {
	m.Runs, m.Refused = []mergedRun{}, []string{}
	for _, from := range sources {
		if err := g.checkSeal(c, from.Path()); err != nil {
			return m, err
		}
		bar := cmdline.StartBar(c.App.ErrWriter, from.Path())
		copied, err := merge.Run(c.Context, from, cmdline.OpenStore(c), merge.Options{Validate: replay.CheckImport,
			CheckShape: replay.NewFitFunc, Sealed: g.sealed, Heal: !g.sealed, Progress: bar.Count})
		bar.Stop()
		for _, r := range copied.Runs {
			m.Runs = append(m.Runs, mergedRun{File: from.Path(), CopiedRun: r})
		}
		m.Records += copied.Records
		m.Bytes += copied.Bytes
		m.Healed += copied.Healed
		if err == nil && !g.sealed { // the parts of a sweep have no plans
			err = m.addPlans(c, from)
		}
		if err != nil {
			return m, fmt.Errorf("merge %s: %w", from.Path(), err)
		}
	}
	return m, nil
}

// addPlans merges the plans of another store.
func (m *mergeReport) addPlans(c *cli.Context, from *tracker.Store) error {
	plans, err := merge.CopyPlans(c.Context, from, cmdline.OpenStore(c), nil)
	m.Added += plans.Added
	m.Refused = append(m.Refused, plans.Refused...)
	return err
}

// checkSeal compares a file with the SHA-256 in its name, if --sealed requires one.
func (g *merging) checkSeal(c *cli.Context, path string) error {
	if !g.sealed {
		return nil
	}
	part, ok := sweep.PartAt(path)
	if !ok {
		return schema.Hint(fmt.Errorf("%s has no seal in its name", path),
			"merge it without --sealed: then each of its records is proved")
	}
	if err := part.Verify(c.Context); err != nil {
		return err
	}
	return part.CheckOwner()
}
