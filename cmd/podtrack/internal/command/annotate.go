package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
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
	return notePlans(c, func(t string) bool { return slices.Contains(tags, t) })
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
	if near := textform.Suggest(tag, r.tags); near != "" {
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

func nameCommand() *cli.Command {
	return &cli.Command{
		Name:      "name",
		Usage:     "print a run's name, or give it another",
		ArgsUsage: "RUN [NAME]",
		Flags:     []cli.Flag{cmdline.StoreFlag(), &cli.BoolFlag{Name: "remove", Usage: "take the name away"}},
		Action:    name,
	}
}

func name(c *cli.Context) error {
	remove := c.Bool("remove")
	if c.NArg() == 0 || c.NArg() > 2 || c.NArg() == 2 && (remove || c.Args().Get(1) == "") {
		return schema.Hint(fmt.Errorf("name takes a run, and a new name or --remove"), "podtrack name RUN NAME")
	}
	ref, store := c.Args().First(), cmdline.OpenStore(c)
	if c.NArg() == 2 || remove {
		return store.Update(c.Context, func(tx *tracker.Tx) error {
			r, err := report.Resolve(tx, ref)
			if err != nil {
				return err
			}
			return tx.SetName(r.ID, c.Args().Get(1))
		})
	}
	return store.View(c.Context, func(tx *tracker.Tx) error {
		r, err := report.LoadRun(tx, ref)
		if err == nil && r.Name != "" {
			fmt.Fprintln(c.App.Writer, r.Name)
		}
		return err
	})
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
			fmt.Fprintln(c.App.Writer, textform.EscapeLine(r.Note))
		}
		return err
	})
}
