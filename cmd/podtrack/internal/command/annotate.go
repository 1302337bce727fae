package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func tagCommand() *cli.Command {
	return &cli.Command{
		Name:      "tag",
		Usage:     "tag runs, for filters such as tag=x",
		ArgsUsage: "RUN TAG… | FILTER TAG…",
		Flags:     []cli.Flag{cmdline.StoreFlag(), &cli.BoolFlag{Name: "remove", Usage: "take the tags away"}},
		Action:    tag,
	}
}

func tag(c *cli.Context) error {
	selection, tags := splitSelection(c.Args().Slice())
	if len(selection) == 0 || len(tags) == 0 {
		return schema.Hint(fmt.Errorf("tag takes runs and tags"), "podtrack tag RUN TAG, or podtrack tag seed=0-29 TAG")
	}
	for _, t := range tags {
		if err := tracker.ValidateTag(t); err != nil {
			return err
		}
	}
	remove := c.Bool("remove")
	runs, err := selectTagged(c, selection)
	if err == nil && remove {
		err = requireTags(runs, tags)
	}
	if err != nil {
		return err
	}
	store := cmdline.OpenStore(c)
	err = tracker.UpdateEach(c.Context, store, runs, func(tx *tracker.Tx, r tagReport) error {
		change := tx.AddTag
		if remove {
			change = tx.RemoveTag
		}
		for _, t := range tags {
			// another process removed the run meanwhile
			if err := change(r.id, t); err != nil && !errors.Is(err, tracker.ErrMissing) {
				return err
			}
		}
		return nil
	})
	if err != nil || !remove {
		return err
	}
	return store.Update(c.Context, func(tx *tracker.Tx) error { return tx.RemoveUnusedPlans(tags...) })
}

// tagReport is a run with its tags.
type tagReport struct {
	id    schema.Digest
	short string
	tags  []string
}

// selectTagged returns the runs that a selection names, with their tags. It fails if there are
// none.
func selectTagged(c *cli.Context, selection []string) (runs []tagReport, err error) {
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		runs, err = report.SelectSomeAs(tx, selection,
			func(r report.Run) tagReport { return tagReport{r.ID, r.Short, r.Tags} })
		return err
	})
	return runs, err
}

// missingTag returns the error for a tag that a run does not have.
func missingTag(r tagReport, tag string) error {
	err := fmt.Errorf("tag %q of run %s: %w", tag, r.short, tracker.ErrMissing)
	if near := report.Suggest(tag, r.tags); near != "" {
		return schema.Advise(err, report.AdviceSimilar, near)
	}
	return err
}

// requireTags returns an error if any of the runs lacks one of the tags to remove.
func requireTags(runs []tagReport, tags []string) error {
	for _, r := range runs {
		for _, t := range tags {
			if !slices.Contains(r.tags, t) {
				return missingTag(r, t)
			}
		}
	}
	return nil
}

// splitSelection splits the arguments into the selection, which is a filter or a single reference,
// and the rest.
func splitSelection(args []string) (selection, rest []string) {
	n := 0
	for n < len(args) && report.IsTerm(args[n]) {
		n++
	}
	if n == 0 {
		n = min(1, len(args))
	}
	return args[:n], args[n:]
}

func noteCommand() *cli.Command {
	return &cli.Command{
		Name:      "note",
		Usage:     "print a run's note, or replace it",
		ArgsUsage: "RUN [TEXT…]",
		Flags:     []cli.Flag{cmdline.StoreFlag()},
		Action:    note,
	}
}

func note(c *cli.Context) error {
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("note takes a run"), "podtrack note RUN TEXT")
	}
	ref, text := c.Args().First(), strings.Join(c.Args().Tail(), " ")
	if c.NArg() > 1 {
		return cmdline.OpenStore(c).Update(c.Context, func(tx *tracker.Tx) error {
			r, err := report.Resolve(tx, ref)
			if err != nil {
				return err
			}
			return tx.SetNote(r.ID, text)
		})
	}
	return cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		r, err := report.LoadRun(tx, ref)
		if err == nil && r.Note != "" {
			fmt.Fprintln(c.App.Writer, schema.EscapeLine(r.Note))
		}
		return err
	})
}

func rmCommand() *cli.Command {
	return &cli.Command{
		Name:      "rm",
		Usage:     "remove runs and the records that no other run shares",
		ArgsUsage: "RUN… | FILTER",
		Flags:     []cli.Flag{cmdline.StoreFlag(), &cli.BoolFlag{Name: "yes", Usage: "remove all runs that a filter finds"}},
		Action:    rm,
	}
}

func rm(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	args := c.Args().Slice()
	runs, err := selectTagged(c, args)
	switch {
	case err != nil:
		return err
	case report.IsTerm(args[0]) && !c.Bool("yes"):
		return schema.Hint(fmt.Errorf("this would remove %d runs", len(runs)), "look at %s, then add --yes",
			cmdline.CommandLine(append([]string{"podtrack", "ls"}, args...)))
	}
	var ids []schema.Digest
	tags := map[string]bool{}
	for _, r := range runs {
		ids = append(ids, r.id)
		for _, t := range r.tags {
			tags[t] = true
		}
	}
	store := cmdline.OpenStore(c)
	removed, err := tracker.Remove(c.Context, store, ids)
	if removed.Runs > 0 || err == nil {
		fmt.Fprintf(c.App.Writer, "removed %d runs and %d records of %d bytes\n", removed.Runs, removed.Records,
			removed.Stored)
	}
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; what was removed stays so", replay.ErrInterrupted),
			"the same command removes the rest")
	}
	if err != nil {
		return err
	}
	return store.Update(c.Context,
		func(tx *tracker.Tx) error { return tx.RemoveUnusedPlans(slices.Collect(maps.Keys(tags))...) })
}
