package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"

	"github.com/urfave/cli/v2"
)

func printActs(w table.Text, r *why.Report) {
	a := r.Acts
	if a == nil {
		fmt.Fprintln(w, "\nThere is no model to learn an option in.")
		return
	}
	c, l := a.Certificate, a.Lengths
	w.Wrapped("\nIt acts in %d of %d states (%.1f %%) and stops in the rest.", c.Initiation, a.States,
		100*float64(c.Initiation)/float64(a.States))
	if a.DistinctEnd > 0 {
		w.Wrapped("steps to the end: mean %s, minimum %d, quartiles %d %d %d, 95 %% point %d, maximum %d",
			table.Number(c.Reach, 2), l.Min, l.Q25, l.Median, l.Q75, l.P95, l.Max)
		w.Wrapped("it ends in %s, most often in %s", quantity(a.DistinctEnd, "state"), endsText(a.Ends))
	}
	if a.Never > 0 {
		w.Wrapped("it never ends from %s, unless a call is truncated", quantity(a.Never, "state"))
	}
	bound := "≤"
	if c.PeakQ > c.Tolerance {
		bound = "over"
	}
	null := ""
	if c.Null {
		null = ", numerically null"
	}
	w.Wrapped("certificate: termination %s, %s, q at the state of largest w %.3g %s tolerance %.3g%s",
		c.Termination, cyclesText(c), c.PeakQ, bound, c.Tolerance, null)
}

// cyclesText describes what a certificate states about cycles and truncated calls.
func cyclesText(c schema.Certificate) string {
	text := "no cycle"
	switch {
	case !c.Acyclic && c.Termination == schema.Unknown:
		text = "perhaps a cycle"
	case !c.Acyclic:
		text = "no cycle without a way out"
	}
	if c.MaxSteps > 0 {
		text += fmt.Sprintf(", calls are truncated after %s", quantity(int(c.MaxSteps), "step"))
	}
	return text
}

// quantity returns a number with its noun, in the singular or plural.
func quantity(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func endsText(ends []why.End) string {
	var parts []string
	for i, e := range ends[:min(len(ends), 5)] {
		from := fmt.Sprint(e.From)
		if i == 0 {
			from = quantity(e.From, "starting state")
		}
		parts = append(parts, fmt.Sprintf("%d (from %s)", e.State, from))
	}
	return strings.Join(parts, ", ")
}

func printState(w table.Text, r *why.Report) {
	s := r.State
	if s == nil {
		return
	}
	if s.Acts {
		w.Wrapped("\nIn state %d it takes %s: the lowest %s.\n", s.State, s.Action, tieText(s))
	} else {
		w.Wrapped("\nIn state %d it stops: no q exceeds the tolerance of %.3g.\n", s.State, s.Tolerance)
	}
	g := table.New(table.Left("action"), table.Right("q"), table.Right("reward"), table.Right("next state"))
	for _, a := range s.Choices {
		g.Add(a.Action, fmt.Sprintf("%.6g", a.Q), fmt.Sprintf("%.6g", a.Reward), fmt.Sprint(a.Next))
	}
	w.Table(g)
	if !s.Acts {
		return
	}
	if s.End == pod.Never {
		w.Wrapped("\npath: %sand so on: it runs in a cycle", pathText(s))
		return
	}
	w.Wrapped("\npath: %s%d\n%s; rewards add up to %.6g, discounted to %.6g (v is %.6g)", pathText(s),
		s.End, quantity(s.Length, "step"), s.Reward, s.Discounted, s.Value)
}

// pathText returns the path to its end, with repeated actions written once.
func pathText(s *why.State) string {
	text, turns, rest := "", 0, s.Path
	for ; len(rest) > 0 && turns < shownRows; turns++ {
		n := 1
		for n < len(rest) && rest[n].Action == rest[0].Action {
			n++
		}
		text += fmt.Sprintf("%d %s", rest[0].State, rest[0].Action)
		if n > 1 {
			text += fmt.Sprintf(" ×%d", n)
		}
		text, rest = text+" → ", rest[n:]
	}
	if len(rest) > 0 || s.Length > len(s.Path) {
		text += "… → "
	}
	return text
}

func printChain(w table.Text, r *why.Report) {
	g := table.New(table.Right("k"), table.Left("chain"), table.Left("digest"), table.Left("verified"), table.Left(""))
	for i, p := range r.Chain {
		if len(r.Chain) > 3*shownRows && i >= 2*shownRows && i < len(r.Chain)-3 && p.Verified {
			continue
		}
		g.Add(fmt.Sprint(p.K), p.What, fmt.Sprintf("%.12s", p.Digest), yesNo(p.Verified), p.How)
	}
	w.TableBelow(g)
	if left := len(r.Chain) - len(g.Rows); left > 0 {
		w.Wrapped("%d links between them are not shown; all are verified", left)
	}
	if replay.LowestLevel(r.Levels) != schema.Recomputed {
		w.Wrapped("\nThe head proves: %s.", remedies.ProvesText(r.Levels))
	}
}

// printReplayHint prints the command that computes more again than an audit does.
func printReplayHint(w table.Text, r *why.Report) {
	if r.Acts == nil {
		return
	}
	with := ""
	if i := slices.IndexFunc(r.Levels, func(l replay.StageLevel) bool { return l.Stage == replay.StageLearn }); i >= 0 {
		with = remedies.ProgramFlags([]string{r.Levels[i].Needs})
	}
	w.Wrapped("\n%s learns it again and compares every bit.", strings.TrimSpace(fmt.Sprintf(
		"podtrack replay %s:%d %s", textform.ShellQuote(strings.SplitN(r.Option, ":", 2)[0]), r.K, with)))
}

// tieText returns by which rule an action is taken: it has the greatest q, or one near it.
func tieText(s *why.State) string {
	greatest, taken := math.Inf(-1), 0.0
	for _, a := range s.Choices {
		if greatest = max(greatest, a.Q); a.Action == s.Action {
			taken = a.Q
		}
	}
	if taken == greatest {
		return "action of the greatest q"
	}
	return fmt.Sprintf("action whose q is within %.3g of the greatest", s.Tolerance)
}

// showEffects prints what an option caused.
func (y *auditFlags) showEffects(c *cli.Context, run *replay.Records, q why.Question) error {
	if err := y.checkPrinted(c, "forward", "what an option caused", "depth", "ablate", "state"); err != nil {
		return err
	}
	bar := cmdline.StartLateBar(c.App.ErrWriter, "iterations", len(run.Iterations))
	defer bar.End()
	e, err := why.FindEffects(c.Context, run, q.Ref, func(done, total int) {
		bar.Begin(done, fmt.Sprintf("%d of %d iterations", done, total))
	})
	bar.End()
	if err != nil {
		return err
	}
	return y.print(c, e, func(w table.Text) { printEffects(w, e) })
}

// printEffects prints what an option caused: sentences that sum it up, then tables.
func printEffects(w table.Text, e *why.Effects) {
	w.Wrapped("%s, option %d of run %.12s: what it caused\n", e.Option, e.Number, e.Run)
	if len(e.Uses) == 0 {
		w.Wrapped("Nothing yet: it is available from iteration %d on, and the run has %s.", e.K+1,
			cmdline.Plural(e.K+1, "iteration"))
		return
	}
	calls, steps := int64(0), int64(0)
	for _, u := range e.Uses {
		calls, steps = calls+u.Calls, steps+u.Steps
	}
	w.Wrapped("It was available in %s, called %s, and executed for %s.",
		cmdline.Plural(len(e.Uses), "iteration"), cmdline.Plural(int(calls), "time"), cmdline.Plural(int(steps), "step"))
	w.Wrapped("%s first reached by the run while it was executing%s.", wereStates(len(e.First)),
		someStates(e.First))
	w.Wrapped("Of the %s found since, evidence of %d goes through it.",
		cmdline.Plural(e.Later, "option"), len(e.Descendants))
	if lost, turned := e.Lost(); e.DirectionsFrom == "" {
		w.Wrapped("Without its steps, of %s %d would not be selected, and %d more would turn (|cos_M| under %v).",
			cmdline.Plural(len(e.Purposes), "later purpose"), lost, turned, why.TurnedBelow)
	} else {
		w.Wrapped("Directions come from %s: what it would have found without the option's steps is not known.",
			e.DirectionsFrom)
	}
	printUses(w, e)
	var descendants []why.Ancestor
	for _, d := range e.Descendants {
		descendants = append(descendants, why.Ancestor(d))
	}
	printRelatives(w, "descendant", descendants)
	printAffected(w, e)
	w.Wrapped("\npodtrack why %s is where it comes from.", textform.ShellQuote(e.Option))
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

func printUses(w table.Text, e *why.Effects) {
	g := table.New(table.Right("k"), table.Right("calls"), table.Right("steps"), table.Right("truncated").CSV("cut"),
		table.Right("new states").CSV("gained"), table.Right("first in the run"))
	for _, u := range e.Uses {
		g.Add(fmt.Sprint(u.K), fmt.Sprint(u.Calls), fmt.Sprint(u.Steps), fmt.Sprint(u.Truncated), fmt.Sprint(u.NewStates),
			fmt.Sprint(u.First))
	}
	w.Blank()
	if len(g.Rows) > 2*shownRows {
		g.Rows = slices.Concat(g.Rows[:shownRows], g.Rows[len(g.Rows)-shownRows:])
	}
	w.Table(g)
	if left := len(e.Uses) - len(g.Rows); left > 0 {
		fmt.Fprintf(w, "… and %d iterations between them, which --json has\n", left)
	}
}

func printAffected(w table.Text, e *why.Effects) {
	if len(e.Purposes) == 0 {
		return
	}
	g := table.New(table.Left("later purpose"), table.Right("#"), table.Right("σ"), table.Right("steps"),
		table.Right("without it: nearest"), table.Right("σ"), table.Left("selected"))
	for _, p := range e.Purposes {
		g.Add(append([]string{p.Purpose, fmt.Sprint(p.Number), table.Number(&p.Sigma, 3), fmt.Sprint(p.Steps)},
			withoutCells(&p.Without)...)...)
	}
	printFirst(w, g, len(e.Purposes), "purposes")
	w.Wrapped("steps: of the option in that D; nearest: largest |cos_M| with a direction of D without them")
}
