package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// whyForward prints what an option caused.
func whyForward(c *cli.Context, run *diff.Run, q why.Question, format string) error {
	for _, name := range []string{"depth", "ablate", "state"} {
		if c.IsSet(name) {
			return schema.Hint(fmt.Errorf("--%s with --forward", name), "leave one of them out")
		}
	}
	if format != whyFormats[0] && format != "json" {
		return schema.Hint(errors.New("--forward as "+format), "what an option caused is printed as text or json")
	}
	bar := cmdline.StartLateBar(c.App.ErrWriter, "iterations", len(run.Iterations))
	defer bar.End()
	e, err := why.FindEffects(c.Context, run, q.Ref, func(done, total int) {
		bar.Begin(done, fmt.Sprintf("%d of %d iterations", done, total))
	})
	bar.End()
	if err != nil {
		return whyError(err)
	}
	if format == "json" {
		return cmdline.PrintJSON(c.App.Writer, e)
	}
	return printEffects(c.App.Writer, e)
}

// printEffects prints what an option caused: sentences that sum it up, then tables.
func printEffects(w io.Writer, e *why.Effects) error {
	table.PrintWrapped(w, "%s, option %d of run %.12s: what it caused\n", e.Option, e.Number, e.Run)
	if len(e.Uses) == 0 {
		table.PrintWrapped(w, "Nothing yet: it is available from iteration %d on, and the run has %s.", e.K+1,
			cmdline.Plural(e.K+1, "iteration"))
		return nil
	}
	calls, steps := int64(0), int64(0)
	for _, u := range e.Uses {
		calls, steps = calls+u.Calls, steps+u.Steps
	}
	table.PrintWrapped(w, "It was available in %s, called %s, and executed for %s.",
		cmdline.Plural(len(e.Uses), "iteration"), cmdline.Plural(int(calls), "time"), cmdline.Plural(int(steps), "step"))
	table.PrintWrapped(w, "%s first reached by the run while it was executing%s.", wereStates(len(e.First)),
		someStates(e.First))
	table.PrintWrapped(w, "Of the %s found since, evidence of %d goes through it.",
		cmdline.Plural(e.Later, "option"), len(e.Descendants))
	if lost, turned := e.Lost(); e.DirectionsFrom == "" {
		table.PrintWrapped(w, "Without its steps, of %s %d would not be selected, and %d more would turn (|cos_M| under %v).",
			cmdline.Plural(len(e.Purposes), "later purpose"), lost, turned, why.TurnedBelow)
	} else {
		table.PrintWrapped(w, "Directions come from %s: what it would have found without the option's steps is not known.",
			e.DirectionsFrom)
	}
	for _, section := range []func(io.Writer, *why.Effects) error{printUses, printDescendants, printAffected} {
		if err := section(w, e); err != nil {
			return err
		}
	}
	table.PrintWrapped(w, "\npodtrack why %s is where it comes from.", textform.ShellQuote(e.Option))
	return nil
}

func wereStates(n int) string {
	if n == 1 {
		return "1 state was"
	}
	return fmt.Sprintf("%d states were", n)
}

// someStates returns the first of some states, "" for none.
func someStates(states []int) string {
	if len(states) == 0 {
		return ""
	}
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(states[:min(len(states), shownRows)]), " ", ", "), "[]")
	if len(states) > shownRows {
		text += ", …"
	}
	return ": " + text
}

func printUses(w io.Writer, e *why.Effects) error {
	g := table.New(table.Right("k"), table.Right("calls"), table.Right("steps"), table.Right("truncated").CSV("cut"),
		table.Right("new states").CSV("gained"), table.Right("first in the run"))
	for _, u := range e.Uses {
		g.Add(fmt.Sprint(u.K), fmt.Sprint(u.Calls), fmt.Sprint(u.Steps), fmt.Sprint(u.Truncated), fmt.Sprint(u.NewStates),
			fmt.Sprint(u.First))
	}
	fmt.Fprintln(w)
	if len(g.Rows) > 2*shownRows {
		g.Rows = slices.Concat(g.Rows[:shownRows], g.Rows[len(g.Rows)-shownRows:])
	}
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	if left := len(e.Uses) - len(g.Rows); left > 0 {
		fmt.Fprintf(w, "… and %d iterations between them, which --json has\n", left)
	}
	return nil
}

func printDescendants(w io.Writer, e *why.Effects) error {
	if len(e.Descendants) == 0 {
		return nil
	}
	g := table.New(table.Left("descendant"), table.Right("#"), table.Right("depth"), table.Right("share"),
		table.Right("influence"))
	for _, d := range e.Descendants[:min(len(e.Descendants), shownRows)] {
		g.Add(d.Option, fmt.Sprint(d.Number), fmt.Sprint(d.Depth), fmt.Sprintf("%.4f", d.Share),
			fmt.Sprintf("%.4f", d.Influence))
	}
	fmt.Fprintln(w)
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	more(w, len(e.Descendants), "descendants")
	table.PrintWrapped(w, "influence: part of the descendant's evidence that goes through it, over all paths of options")
	return nil
}

func printAffected(w io.Writer, e *why.Effects) error {
	if len(e.Purposes) == 0 {
		return nil
	}
	g := table.New(table.Left("later purpose"), table.Right("#"), table.Right("σ"), table.Right("steps"),
		table.Right("without it: nearest"), table.Right("σ"), table.Left("selected"))
	for _, p := range e.Purposes[:min(len(e.Purposes), shownRows)] {
		g.Add(append([]string{p.Purpose, fmt.Sprint(p.Number), table.Number(&p.Sigma, 3), fmt.Sprint(p.Steps)},
			withoutCells(&p.Without)...)...)
	}
	fmt.Fprintln(w)
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	more(w, len(e.Purposes), "purposes")
	table.PrintWrapped(w, "steps: of the option in that D; nearest: largest |cos_M| with a direction of D without them")
	return nil
}
