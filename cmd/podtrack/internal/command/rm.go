package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func rmCommand() *cli.Command {
	return &cli.Command{
		Name:      "rm",
		Usage:     "remove runs; podtrack undelete restores them until the next compact",
		ArgsUsage: "RUN… | FILTER",
		Description: `A removed run is in no list, and its name is free. What only it names takes space
until podtrack compact; until then podtrack undelete restores it. With --purge the
space is reused at once, and nothing can be restored.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), &cli.BoolFlag{Name: "yes", Usage: "remove all runs that a filter finds"},
			&cli.BoolFlag{Name: "purge", Usage: "remove them for good, and the records that no other run shares"},
		},
		Action: rm,
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
	if c.Bool("purge") {
		err = purge(c, ids)
	} else {
		err = discard(c, ids)
	}
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; what was removed stays so", replay.ErrInterrupted),
			"the same command removes the rest")
	}
	if err != nil {
		return err
	}
	return notePlans(c, func(tag string) bool { return tags[tag] })
}

// purge removes runs for good.
func purge(c *cli.Context, ids []schema.Digest) error {
	removed, err := tracker.Remove(c.Context, cmdline.OpenStore(c), ids)
	if removed.Runs > 0 || err == nil {
		cmdline.PrintLine(c.App.Writer, "removed %s and %s of %d bytes", cmdline.Plural(removed.Runs, "run"),
			cmdline.Plural(removed.Records, "record"), removed.Stored)
	}
	return err
}

// discard removes runs so that they can be restored, and those with damaged rows for good.
func discard(c *cli.Context, ids []schema.Digest) error {
	removed, damaged, err := tracker.Discard(c.Context, cmdline.OpenStore(c), ids)
	if removed > 0 || err == nil && len(damaged) == 0 {
		cmdline.PrintLine(c.App.Writer, "removed %s; podtrack undelete undoes it until podtrack compact",
			cmdline.Plural(removed, "run"))
	}
	if err != nil || len(damaged) == 0 {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "%s, with damaged rows, cannot be restored and is removed for good\n",
		cmdline.Plural(len(damaged), "run"))
	return purge(c, damaged)
}
