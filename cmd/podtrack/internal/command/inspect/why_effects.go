package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// showEffects prints what an option caused.
func showEffects(c *cli.Context, run *recorded.Records, ref report.Ref) error {
	bar := cmdline.StartLateBar(c.App.ErrWriter, "iterations", len(run.Iterations))
	defer bar.End()
	e, err := why.FindEffects(c.Context, run, ref, func(done, total int) {
		bar.Begin(done, fmt.Sprintf("%d of %d iterations", done, total))
	})
	bar.End()
	if err != nil {
		return err
	}
	return cmdline.Answer{JSON: e, Title: "What " + e.Option + " caused", Text: func(w table.Text) { printEffects(w, e) },
		More: [][]string{{"why", e.Option}}}.Print(c)
}

// printEffects prints what an option caused: sentences that sum it up, then tables.
func printEffects(w table.Text, e *why.Effects) {
	w.Wrapped("%s, option %d of run %.12s: what it caused\n", e.Option, e.Number, e.Run)
	if len(e.Uses) == 0 {
		w.Wrapped("Nothing yet: it is available from iteration %d on, and the run has %s.", e.K+1,
			textfmt.CountOf(e.K+1, "iteration"))
		return
	}
	calls, steps := int64(0), int64(0)
	for _, u := range e.Uses {
		calls, steps = calls+u.Calls, steps+u.Steps
	}
	w.Wrapped("It was available in %s, called %s, and executed for %s.",
		textfmt.CountOf(len(e.Uses), "iteration"), textfmt.CountOf(int(calls), "time"), textfmt.CountOf(int(steps), "step"))
	reached := fmt.Sprintf("%d states were", len(e.First))
	if len(e.First) == 1 {
		reached = "1 state was"
	}
	w.Wrapped("%s first reached by the run while it was executing%s.", reached, someStates(e.First))
	w.Wrapped("Of the %s found since, evidence of %d goes through it.",
		textfmt.CountOf(e.Later, "option"), len(e.Descendants))
	if lost, turned := e.Lost(); e.DirectionsFrom == "" {
		w.Wrapped("Without its steps, of %s %d would not be selected, and %d more would turn (|cos_M| under %v).",
			textfmt.CountOf(len(e.Purposes), "later purpose"), lost, turned, why.TurnedBelow)
	} else {
		w.Wrapped("Directions come from %s: what it would have found without the option's steps is not known.",
			e.DirectionsFrom)
	}
	shown := e.Uses
	if n := len(shown); n > 2*audit.ShownRows {
		shown = slices.Concat(shown[:audit.ShownRows], shown[n-audit.ShownRows:])
	}
	w.TableBelow(table.Of(shown, table.Right("k"), table.Right("calls"), table.Right("steps"), table.Right("truncated"),
		table.Right("new_states").As("new states"), table.Right("first").As("first in the run")))
	if left := len(e.Uses) - len(shown); left > 0 {
		fmt.Fprintf(w, "… and %d iterations between them, which --json has\n", left)
	}
	audit.PrintRelatives(w, "descendant", e.Descendants)
	if len(e.Purposes) > 0 {
		audit.PrintFirst(w, e.Purposes, "purposes", append([]table.Column{
			table.Left("purpose").As("later purpose"), table.Right("number").As("#"),
			table.Right("sigma").As("σ").Digits(3), table.Right("steps"),
		}, audit.WithoutColumns...)...)
		w.Wrapped("steps: of the option in that D; nearest: largest |cos_M| with a direction of D without them")
	}
	w.Wrapped("\npodtrack why %s is where it comes from.", textfmt.ShellQuote(e.Option))
}

// someStates returns the first of some states, "" for none.
func someStates(states []int) string {
	if len(states) == 0 {
		return ""
	}
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(states[:min(len(states), audit.ShownRows)]), " ", ", "), "[]")
	if len(states) > audit.ShownRows {
		text += ", …"
	}
	return ": " + text
}
