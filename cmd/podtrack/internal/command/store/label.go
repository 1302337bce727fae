package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

type labels struct {
	tag, untag []string
	name, note *string
	unname     bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "label", Group: cmdline.GroupCare, Place: 6,
	Example:     "podtrack label bits=7 --tag study",
	Usage:       "give runs tags, a name or a note, or take them away",
	Args:        "RUN… | FILTER",
	Description: `Tags are for filters such as tag=x. podtrack show RUN prints all of these.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var l labels
		return []cli.Flag{
			cmdline.StoreFlag(),
			cmdline.Flag(&l.tag, "tag", "tag the runs with `TAG`; may be given several times"),
			cmdline.Flag(&l.untag, "untag", "take `TAG` away; may be given several times"),
			cmdline.Optional(&l.name, "name", "name the run `NAME`, in place of the name that it has", ""),
			cmdline.Flag(&l.unname, "unname", "take the name of the run away"),
			cmdline.Optional(&l.note, "note", "note `TEXT` beside the run, in place of the note that it has", ""),
		}, l.label
	},
})

func (l *labels) label(c *cli.Context) error {
	if err := l.check(c); err != nil {
		return err
	}
	runs, err := cmdline.SelectSomeRuns(c)
	if err == nil {
		err = requireTags(runs, l.untag)
	}
	if err != nil {
		return err
	}
	return tracker.UpdateEach(c.Context, cmdline.OpenStore(c), runs, func(tx *tracker.Tx, r report.Run) error {
		return l.set(tx, r.ID)
	})
}

// check returns an error if the flags set nothing, or something that the runs cannot have.
func (l *labels) check(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	for _, t := range slices.Concat(l.tag, l.untag) {
		if err := tracker.ValidateTag(t); err != nil {
			return err
		}
	}
	ofOne := l.name != nil || l.unname || l.note != nil
	switch {
	case !ofOne && l.tag == nil && l.untag == nil:
		return schema.Hint(errors.New("label without --tag, --untag, --name, --unname or --note"),
			"podtrack show RUN prints what a run has")
	case ofOne && (c.NArg() > 1 || report.IsTerm(c.Args().First())):
		return schema.Hint(errors.New("a name or a note belongs to one run"), "name the run; --tag and --untag take many")
	case l.name != nil && (l.unname || *l.name == ""):
		return schema.Hint(errors.New("--name is empty, or given with --unname"),
			"podtrack label RUN --name NAME, or --unname")
	}
	return nil
}

// set applies the flags to a run. If another process removed the run meanwhile, tags are ignored; a name or a note is
// an error.
func (l *labels) set(tx *tracker.Tx, run schema.Digest) error {
	name := l.name
	if l.unname {
		name = new(string)
	}
	if name != nil {
		if err := tx.SetName(run, *name); err != nil {
			return err
		}
	}
	if l.note != nil {
		if err := tx.SetNote(run, *l.note); err != nil {
			return err
		}
	}
	for _, t := range l.tag {
		if err := tx.AddTag(run, t); err != nil && !errors.Is(err, tracker.ErrMissing) {
			return err
		}
	}
	for _, t := range l.untag {
		if err := tx.RemoveTag(run, t); err != nil && !errors.Is(err, tracker.ErrMissing) {
			return err
		}
	}
	return nil
}

func requireTags(runs []report.Run, tags []string) error {
	for _, r := range runs {
		for _, t := range tags {
			if slices.Contains(r.Tags, t) {
				continue
			}
			err := fmt.Errorf("tag %q of run %s: %w", t, r.Short, tracker.ErrMissing)
			if near := textfmt.Suggest(t, r.Tags); near != "" {
				return schema.Hint(err, report.AdviceSimilar, near)
			}
			return schema.Hint(err, "podtrack show %s prints its tags", r.Short)
		}
	}
	return nil
}
