package command

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// maxCheckSteps limits the steps of a check, because the check keeps them in memory.
const maxCheckSteps = 1 << 24

func envCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "try out an environment in another process",
		ArgsUsage: "CMD | exec:CMD | gym:NAME",
		Description: `The program is started, walked in and started again; the same seed and the same
actions have to give the same observations. Nothing is written. Exits 1 unless it
does all that a run relies on; a warning is about what no run relies on, such as a
second seed in the same process, or about what makes its options useless.`,
		Flags: []cli.Flag{
			cmdline.JsonFlag(), table.FormatFlag(), runner.TimeoutFlag(),
			&cli.IntFlag{Name: "steps", Usage: "walk `N` steps", Value: 1000},
			&cli.Uint64Flag{Name: "seed", Usage: "of the walk and of the resets"},
		},
		Action: envCheck,
	}
}

// checkSteps returns an error for a number of steps that a check does not walk.
func checkSteps(steps int) error {
	if steps < 1 || steps > maxCheckSteps {
		return schema.Hint(fmt.Errorf("--steps %d", steps), "walk 1 to %d steps", maxCheckSteps)
	}
	return nil
}

func envCheck(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	text, err := cmdline.OneArg(c, "CMD")
	if err != nil {
		return err
	}
	steps := c.Int("steps")
	if err := checkSteps(steps); err != nil {
		return err
	}
	if _, err := pod.DefaultEnv(text); err == nil {
		return schema.Hint(fmt.Errorf("environment %q is one of this program's", text),
			"exec:%s tries a program of that name out", text)
	}
	command, err := runner.ExternalCommand(c, text)
	if err != nil {
		return err
	}
	found, err := command.Check(c.Context, c.Uint64("seed"), steps)
	if err != nil {
		return replayError(err)
	}
	for i, k := range found.Checks {
		found.Checks[i].Remedy = remedies.Of(k.Err)
	}
	if err := printConformance(c, found, format); err != nil || found.Conforms() {
		return err
	}
	return nonconforming(found.Checks, "replay/external/PROTOCOL.md says what a program has to do")
}

func printConformance(c *cli.Context, found external.Conformance, format string) error {
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, found)
	}
	if err := printChecks(c.App.Writer, found.Checks, format); err != nil || format != table.Formats[0] {
		return err
	}
	printConsequences(c.App.Writer, found)
	return nil
}

func printChecks(w io.Writer, checks []external.CheckResult, format string) error {
	g := table.New(table.Left("check"), table.Left("verdict"), table.Left("what was found"))
	for _, k := range checks {
		if k.Verdict == external.Failed {
			g.Add(k.Name, string(k.Verdict), "see below")
			continue
		}
		g.Add(k.Name, string(k.Verdict), k.Found)
	}
	return g.Print(w, format)
}

// printConsequences prints what follows for options from what was observed.
func printConsequences(w io.Writer, found external.Conformance) {
	if s := found.States; s != nil && s.Recurring < fewRecurring {
		fmt.Fprintln(w)
		table.PrintFact(w, "finding", "States hardly recur: what --learner empirical learns about a state, and methods over "+
			"states, are of little use.")
		table.PrintFact(w, "try", remedies.CoarserStates)
	}
	x := found.Changes
	if x == nil {
		return
	}
	spec := pod.PaperSpec()
	switch {
	case x.Changing == 0:
		fmt.Fprintln(w)
		table.PrintFact(w, "finding", "Nothing that is observed changes: a run finds no direction.")
	case x.RMS*math.Sqrt(float64(spec.Steps)) <= spec.Kappa:
		fmt.Fprintln(w)
		table.PrintFact(w, "finding", "Features change so little that in %d steps no σ is above %.2g: no direction passes "+
			"κ %v.", spec.Steps, x.RMS*math.Sqrt(float64(spec.Steps)), spec.Kappa)
		table.PrintFact(w, "try", "--feature_scale rms, or a smaller --kappa")
	}
}

// fewRecurring is the share of recurring states under which it is told what follows.
const fewRecurring = 0.1

// nonconforming returns an error that names the first failed check and its remedy, or where to look for one.
func nonconforming(checks []external.CheckResult, document string) error {
	for _, k := range checks {
		if k.Verdict == external.Failed {
			return schema.Hint(fmt.Errorf("%w: %s: %s", cmdline.ErrDifference, k.Name, k.Found), "%s",
				cmp.Or(k.Remedy, document))
		}
	}
	return nil
}
