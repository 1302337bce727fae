package inspect

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "env", Group: cmdline.GroupInspect, Place: 7,
	Example: "podtrack env",
	JSON:    []any{[]envEntry{}},
	Usage:   "list the environments and their parameters",
	Description: `Lists those that are part of podtrack. Others are programs: --env exec:CMD runs a
command, with quotes as for a shell but without one, and --env gym:NAME an environment of
Gymnasium, with what an agent sees of it behind commas, as in
gym:CartPole-v1,bins=8,range=walk (see podtrack help gymnasium). podtrack env check tries
one out.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return []cli.Flag{cmdline.JsonFlag(), table.FormatFlag()}, cmdline.Answering(listEnvs)
	},
})

// envParameter is one parameter in the output of env.
type envParameter struct {
	Name    string `json:"name"`
	Default int64  `json:"default"`
	Min     int64  `json:"min"`
	Max     int64  `json:"max"`
	Usage   string `json:"usage"`
}

// envEntry is one environment in the output of env.
type envEntry struct {
	Name       string         `json:"name"`
	Version    uint64         `json:"version"`
	Usage      string         `json:"usage"`
	Parameters []envParameter `json:"parameters"`
	Choices    []envChoice    `json:"choices,omitempty"`
}

// envChoice is a parameter whose value is text.
type envChoice struct {
	Name    string   `json:"name"`
	Default string   `json:"default"`
	Values  []string `json:"values"`
	Usage   string   `json:"usage"`
}

func listEnvs(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "podtrack env lists all environments"); err != nil {
		return a, err
	}
	entries := []envEntry{}
	g := table.New(table.Left("environment"), table.Left("flag"), table.Right("default").Optional(2),
		table.Right("from").Optional(1), table.Right("to").Optional(1), table.Left("meaning"))
	for _, b := range envs.RegisteredEnvs() {
		e := envEntry{Name: b.Name, Version: b.Version, Usage: b.Usage}
		g.Add(b.Name, "--env "+b.Name, "", "", "", b.Usage)
		for _, p := range b.Parameters {
			e.Parameters = append(e.Parameters, envParameter(p))
		}
		for _, c := range b.TextParameters {
			e.Choices = append(e.Choices, envChoice(c))
		}
		for _, p := range runner.ParametersOf(b) {
			g.Add("", strings.Join(hints.FieldWords(p.Name, "VALUE"), " "), p.Default, p.From, p.To, p.Usage)
		}
		entries = append(entries, e)
	}
	g.Add("others", "--env exec:CMD", "", "", "", "a program of yours, which podtrack env check CMD tries out")
	g.Add("", "--env gym:NAME", "", "", "", "an environment of Gymnasium, by the python3 that has it ($PODTRACK_PYTHON)")
	return cmdline.Answer{JSON: entries, Tables: func() table.List { return table.List{g} }}, nil
}

// maxCheckSteps limits the steps of a check, because the check keeps them in memory.
const maxCheckSteps = 1 << 24

// envCheck is the command env check, with its flags.
type envCheck struct {
	runner.Flags
	steps    int
	seed     uint64
	walkTime *time.Duration
}

var _ = cmdline.Register(cmdline.Command{
	Name:    "env check",
	Example: "podtrack env check 'python3 corridor.py'",
	JSON:    []any{external.Conformance{}},
	Usage:   "try out an environment in another process",
	Args:    "CMD | exec:CMD | gym:NAME",
	Description: `Starts the program, walks in it, and starts it again: the same seed and actions must
give the same observations. Nothing is written. Exits 1 unless it does everything that
runs rely on; a warning is about something that no run relies on, such as a second
seed in the same process, or that makes options useless.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		e := envCheck{steps: 1000}
		return []cli.Flag{
				cmdline.JsonFlag(), table.FormatFlag(), e.TimeoutFlag(),
				cmdline.Flag(&e.steps, "steps", "walk `N` steps"),
				cmdline.Flag(&e.seed, "seed", "the `SEED` of the walk and of the resets"),
				cmdline.Optional(&e.walkTime, "walk-time", "end the walk after `TIME`; later checks repeat what was walked",
					external.DefaultWalkTime.String()),
			}, cmdline.Interruptible(cmdline.Answering(e.check), "a check changes nothing",
				"rerun the command to start again")
	},
})

// checkSteps returns an error for a number of steps that a check does not walk.
func checkSteps(steps int) error {
	if steps < 1 || steps > maxCheckSteps {
		return schema.Hint(fmt.Errorf("--steps: invalid value %d", steps), "walk 1 to %d steps", maxCheckSteps)
	}
	return nil
}

func (e *envCheck) check(c *cli.Context) (a cmdline.Answer, err error) {
	text, err := cmdline.OneArg(c, "CMD")
	if err != nil {
		return a, err
	}
	if err := checkSteps(e.steps); err != nil {
		return a, err
	}
	if e.walkTime != nil && *e.walkTime <= 0 {
		return a, schema.Hint(fmt.Errorf("--walk-time %v", *e.walkTime), "give a time such as 10s or 5m")
	}
	if _, err := envs.DefaultEnv(text); err == nil {
		return a, schema.Hint(fmt.Errorf("environment %q is built into this program", text),
			"exec:%s tries a program of that name out", text)
	}
	command, err := e.ExternalCommand(text)
	if err != nil {
		return a, err
	}
	found, err := e.perform(c, command)
	a = runner.AnswerChecks(found, found.Checks, "replay/external/PROTOCOL.md says what a program has to do")
	a.Text = func(w table.Text) {
		w.Table(runner.NewCheckTable(found.Checks))
		printConsequences(w, found)
	}
	return a, err
}

// perform checks a program. It shows how far it is if that takes long.
func (e *envCheck) perform(c *cli.Context, command external.Command) (external.Conformance, error) {
	bar := cmdline.StartLateBar(c.App.ErrWriter, "env check", external.NumberOfChecks)
	defer bar.End()
	with := external.CheckOptions{Seed: e.seed, Steps: e.steps, WalkTime: external.DefaultWalkTime, Begin: bar.Begin}
	if e.walkTime != nil {
		with.WalkTime = *e.walkTime
	}
	return command.Check(c.Context, with)
}

// printConsequences prints what follows for options from what was observed.
func printConsequences(w table.Text, found external.Conformance) {
	if s := found.States; s != nil && s.Recurring < fewRecurring {
		w.Blank()
		w.Fact("warning", "States hardly recur: what --learner empirical learns about a state, and methods over "+
			"states, are of little use.")
		w.Fact("try", hints.CoarserStates)
	}
	x := found.Changes
	if x == nil {
		return
	}
	spec := pod.PaperSpec()
	switch {
	case x.Changing == 0:
		w.Blank()
		w.Fact("warning", "Nothing that is observed changes: a run finds no direction.")
	case x.RMS*math.Sqrt(float64(spec.Steps)) <= spec.Kappa:
		w.Blank()
		w.Fact("warning", "Features change so little that in %d steps no σ is above %.2g: no direction passes "+
			"κ %v.", spec.Steps, x.RMS*math.Sqrt(float64(spec.Steps)), spec.Kappa)
		w.Fact("try", "--set feature_scale=rms, or a smaller --kappa")
	}
}

// fewRecurring is the share of recurring states below which a warning is printed.
const fewRecurring = 0.1
