package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func tagCommand() *cli.Command {
	return &cli.Command{
		Name:      "tag",
		Usage:     "tag runs, for filters such as tag=x",
		ArgsUsage: "RUN TAG… | FILTER TAG…",
		Flags:     []cli.Flag{storeFlag(), &cli.BoolFlag{Name: "remove", Usage: "take the tags away"}},
		Action:    tag,
	}
}

func tag(c *cli.Context) error {
	selection, tags := splitSelection(c.Args().Slice())
	if len(selection) == 0 || len(tags) == 0 {
		return schema.Hint(fmt.Errorf("tag takes runs and tags"), "podtrack tag RUN TAG, or podtrack tag seed=0-29 TAG")
	}
	for _, t := range tags {
		if err := tracker.ValidTag(t); err != nil {
			return err
		}
	}
	return openStore(c).Update(c.Context, func(tx *tracker.Tx) error {
		if !c.Bool("remove") {
			return eachTag(tx, selection, tags, tx.AddTag)
		}
		if err := eachTag(tx, selection, tags, tx.RemoveTag); err != nil {
			return err
		}
		return tx.DropPlans(tags...)
	})
}

func eachTag(tx *tracker.Tx, selection, tags []string, change func(schema.Digest, string) error) error {
	return eachRun(tx, selection, func(r report.Run) error {
		for _, t := range tags {
			if err := change(r.ID, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// splitSelection takes the terms of a filter, or one reference, off the front.
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

func eachRun(tx *tracker.Tx, selection []string, do func(report.Run) error) error {
	runs, err := report.Select(tx, selection)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return report.NoRuns(selection)
	}
	for _, r := range runs {
		if err := do(r); err != nil {
			return err
		}
	}
	return nil
}

func noteCommand() *cli.Command {
	return &cli.Command{
		Name:      "note",
		Usage:     "print a run's note, or replace it",
		ArgsUsage: "RUN [TEXT…]",
		Flags:     []cli.Flag{storeFlag()},
		Action:    note,
	}
}

func note(c *cli.Context) error {
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("note takes a run"), "podtrack note RUN TEXT")
	}
	ref, text := c.Args().First(), strings.Join(c.Args().Tail(), " ")
	if c.NArg() > 1 {
		return openStore(c).Update(c.Context, func(tx *tracker.Tx) error {
			r, err := tx.Resolve(ref)
			if err != nil {
				return err
			}
			return tx.SetNote(r.ID, text)
		})
	}
	return openStore(c).View(c.Context, func(tx *tracker.Tx) error {
		r, err := report.One(tx, ref)
		if err == nil && r.Note != "" {
			fmt.Fprintln(c.App.Writer, schema.OneLine(r.Note))
		}
		return err
	})
}

func rmCommand() *cli.Command {
	return &cli.Command{
		Name:      "rm",
		Usage:     "remove runs and the records that no other run shares",
		ArgsUsage: "RUN… | FILTER",
		Flags:     []cli.Flag{storeFlag(), &cli.BoolFlag{Name: "yes", Usage: "remove all runs that a filter finds"}},
		Action:    rm,
	}
}

func rm(c *cli.Context) error {
	if err := someArgs(c); err != nil {
		return err
	}
	args := c.Args().Slice()
	var removed tracker.Removed
	err := openStore(c).Update(c.Context, func(tx *tracker.Tx) error {
		runs, err := report.Select(tx, args)
		switch {
		case err != nil:
			return err
		case len(runs) == 0:
			return report.NoRuns(args)
		case report.IsTerm(args[0]) && !c.Bool("yes"):
			return schema.Hint(fmt.Errorf("this would remove %d runs", len(runs)), "look at %s, then add --yes", commandLine(append([]string{"podtrack", "ls"}, args...)))
		}
		var ids []schema.Digest
		var tags []string
		for _, r := range runs {
			ids, tags = append(ids, r.ID), append(tags, r.Tags...)
		}
		if removed, err = tx.Remove(ids...); err != nil {
			return err
		}
		return tx.DropPlans(tags...)
	})
	if err == nil {
		fmt.Fprintf(c.App.Writer, "removed %d runs and %d records of %d bytes\n", removed.Runs, removed.Records, removed.Stored)
	}
	return err
}

// someArgs refuses an empty selection, which elsewhere means all runs.
func someArgs(c *cli.Context) error {
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("%s takes runs", c.Command.Name), "podtrack %s %s; podtrack ls lists the runs", c.Command.Name, c.Command.ArgsUsage)
	}
	return nil
}
