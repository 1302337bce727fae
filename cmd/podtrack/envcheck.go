package main

import (
	"cmp"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
)

// maxCheckSteps bounds what is remembered of a check.
const maxCheckSteps = 1 << 24

func envCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "try out an environment in another process",
		ArgsUsage: "CMD | exec:CMD | gym:NAME",
		Description: `The program is started, walked in and started again; the same seed and the same
actions have to give the same observations. Nothing is written. Exits 1 unless it
does all that a run relies on.`,
		Flags: []cli.Flag{
			jsonFlag(), formatFlag(), timeoutFlag(),
			&cli.IntFlag{Name: "steps", Usage: "walk `N` steps", Value: 1000},
			&cli.Uint64Flag{Name: "seed", Usage: "of the walk and of the resets"},
		},
		Action: envCheck,
	}
}

func envCheck(c *cli.Context) error {
	format, err := formatOf(c)
	if err != nil {
		return err
	}
	text, err := oneArg(c, "CMD")
	if err != nil {
		return err
	}
	steps := c.Int("steps")
	if steps < 1 || steps > maxCheckSteps {
		return schema.Hint(fmt.Errorf("--steps %d", steps), "walk 1 to %d steps", maxCheckSteps)
	}
	if _, err := pod.DefaultEnv(text); err == nil {
		return schema.Hint(fmt.Errorf("environment %q is one of this program's", text), "exec:%s tries a program of that name out", text)
	}
	command, err := outsideCommand(c, text)
	if err != nil {
		return err
	}
	found, err := command.Check(c.Context, c.Uint64("seed"), steps)
	if err != nil {
		return stoppedReplay(err)
	}
	if err := printConformance(c, found, format); err != nil || found.Conforms() {
		return err
	}
	return nonconforming(found)
}

func printConformance(c *cli.Context, found external.Conformance, format string) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, found)
	}
	g := &grid{columns: []string{"check", "verdict", "what was found"}}
	for _, k := range found.Checks {
		if k.Verdict == external.Failed {
			g.add(k.Name, string(k.Verdict), "see below")
			continue
		}
		g.add(k.Name, string(k.Verdict), k.Found)
	}
	return g.print(c.App.Writer, format)
}

// nonconforming says what failed, and how to mend it.
func nonconforming(found external.Conformance) error {
	for _, k := range found.Checks {
		if k.Verdict == external.Failed {
			return schema.Hint(fmt.Errorf("%w: %s: %s", errDifference, k.Name, k.Found), "%s", cmp.Or(k.Remedy, "replay/external/PROTOCOL.md says what a program has to do"))
		}
	}
	return nil
}
