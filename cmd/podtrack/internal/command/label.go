package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func labelCommand() *cli.Command {
	return &cli.Command{
		Name:        "label",
		Usage:       "give runs tags, a name or a note, or take them away",
		ArgsUsage:   "RUN… | FILTER",
		Description: `Tags are for filters such as tag=x. podtrack show RUN prints all of these.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(),
			&cli.StringSliceFlag{Name: "tag", Usage: "tag the runs with `TAG`; may be given often"},
			&cli.StringSliceFlag{Name: "untag", Usage: "take `TAG` away; may be given often"},
			&cli.StringFlag{Name: "name", Usage: "name the run, in place of the name that it has"},
			&cli.BoolFlag{Name: "unname", Usage: "take the name of the run away"},
			&cli.StringFlag{Name: "note", Usage: "note `TEXT` beside the run, in place of the note that it has"},
		},
		Action: label,
	}
}

func label(c *cli.Context) error {
	if err := checkLabels(c); err != nil {
		return err
	}
	untag := c.StringSlice("untag")
	runs, err := selectTagged(c, c.Args().Slice())
	if err == nil {
		err = requireTags(runs, untag)
	}
	if err != nil {
		return err
	}
	err = tracker.UpdateEach(c.Context, cmdline.OpenStore(c), runs, func(tx *tracker.Tx, r tagReport) error {
		return setLabels(c, tx, r.id)
	})
	if err != nil || len(untag) == 0 {
		return err
	}
	return notePlans(c, func(t string) bool { return slices.Contains(untag, t) })
}

// checkLabels returns an error if the flags set nothing, or something that the runs cannot have.
func checkLabels(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	for _, t := range slices.Concat(c.StringSlice("tag"), c.StringSlice("untag")) {
		if err := tracker.ValidateTag(t); err != nil {
			return err
		}
	}
	ofOne := c.IsSet("name") || c.Bool("unname") || c.IsSet("note")
	switch {
	case !ofOne && !c.IsSet("tag") && !c.IsSet("untag"):
		return schema.Hint(errors.New("label without --tag, --untag, --name, --unname or --note"),
			"podtrack show RUN prints what a run has")
	case ofOne && (c.NArg() > 1 || report.IsTerm(c.Args().First())):
		return schema.Hint(errors.New("a name or note is of one run"), "name the run; --tag and --untag take many")
	case c.IsSet("name") && (c.Bool("unname") || c.String("name") == ""):
		return schema.Hint(errors.New("--name is empty, or given with --unname"),
			"podtrack label RUN --name NAME, or --unname")
	}
	return nil
}

// setLabels sets what the flags name. A run that another process removed meanwhile is left out, unless it is to have a
// name or a note.
func setLabels(c *cli.Context, tx *tracker.Tx, run schema.Digest) error {
	if c.IsSet("name") || c.Bool("unname") {
		if err := tx.SetName(run, c.String("name")); err != nil {
			return err
		}
	}
	if c.IsSet("note") {
		if err := tx.SetNote(run, c.String("note")); err != nil {
			return err
		}
	}
	for _, t := range c.StringSlice("tag") {
		if err := tx.AddTag(run, t); err != nil && !errors.Is(err, tracker.ErrMissing) {
			return err
		}
	}
	for _, t := range c.StringSlice("untag") {
		if err := tx.RemoveTag(run, t); err != nil && !errors.Is(err, tracker.ErrMissing) {
			return err
		}
	}
	return nil
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
