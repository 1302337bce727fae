package remedies

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/replay/findings"
	"github.com/podtrack/podtrack/replay/report"
)

// CoarserStates is what to try if states do not recur.
const CoarserStates = "fewer features or coarser ones (of Gymnasium's: gym:NAME,bins=8,range=walk, or " +
	"wrap=MODULE:FUNC); or --learner lspi, which values states by their features"

// Word sets the texts of a run's findings and of their remedies.
func Word(r *report.Run) {
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Text = findingText(*f)
		for j := range f.Remedies {
			f.Remedies[j].Text = remedyText(f.Kind, f.Remedies[j])
		}
	}
}

// findingText returns a finding as a sentence.
func findingText(f findings.Finding) string {
	switch f.Kind {
	case findings.NothingChanges:
		return "Nothing that the agent observes ever changes, so that there are no directions to follow."
	case findings.NoDirection:
		return fmt.Sprintf("No direction passes κ, so that there are no options: the largest %s is %.3g, and κ is %v.%s",
			f.Direction.Symbol, f.Direction.Largest, f.Direction.Kappa, changesText(f.Features))
	case findings.SmallFeatures:
		return fmt.Sprintf("Some features change too little for κ %v: no direction along one of them alone passes it. "+
			"Root mean squares of a step: %s. The largest %s is %.3g, that of larger changes.", f.Direction.Kappa,
			scaleText(f.Features), f.Direction.Symbol, f.Direction.Largest)
	case findings.NoRecurrence:
		return fmt.Sprintf("States do not recur: %d distinct observations in %d steps.%s", f.States.Visited, f.States.Steps,
			unusedText(f.Calls))
	case findings.NeverCalled:
		return fmt.Sprintf("None of the %d available options was called in %d steps: the agent was in no state in which "+
			"one can start.%s", f.Calls.Available, f.States.Steps, emptyText(f.Calls))
	case findings.NeverEnd:
		return fmt.Sprintf("Most steps are of options that do not end: of %d calls, %d ended in a state in which the option "+
			"terminates, %d after max_option_steps (%d), %d with an episode%s. Options take %.0f %% of the steps.%s",
			f.Calls.Calls, f.Calls.Ended, f.Calls.AtLimit, f.Calls.Limit, f.Calls.AtEpisode, episodeText(f.Calls.Episode),
			100*f.Calls.Share, visitedText(f.States))
	case findings.FewerStates:
		return fmt.Sprintf("Options keep the agent where it was: %d states were visited, %d in iteration 0 without options; "+
			"options take %.0f %% of the steps.", f.States.Visited, f.States.Before, 100*f.Calls.Share)
	}
	return string(f.Kind)
}

// changesText returns the features that change least and most, in words.
func changesText(features []findings.Feature) string {
	if len(features) == 0 {
		return ""
	}
	return fmt.Sprintf(" Root mean squares of the features' changes in a step: %s.", scaleText(features))
}

func scaleText(features []findings.Feature) string {
	var list []string
	for _, x := range features {
		list = append(list, fmt.Sprintf("%s %.2g", x.Name, x.RMS))
	}
	return strings.Join(list, ", ")
}

func unusedText(c *findings.Calls) string {
	if c.Available == 0 {
		return " What is learned about a state is of no use unless the agent comes back to it."
	}
	return fmt.Sprintf(" The %d available options start in states that were seen before, and were called %d times.",
		c.Available, c.Calls)
}

func emptyText(c *findings.Calls) string {
	if c.Empty == 0 {
		return ""
	}
	return fmt.Sprintf(" Of the %d latest ones that were looked at, %d can start nowhere.", c.Examined, c.Empty)
}

func episodeText(steps int64) string {
	if steps == 0 {
		return ""
	}
	return fmt.Sprintf(" (truncated after %d steps)", steps)
}

func visitedText(s *findings.States) string {
	if s.Visited >= s.Before {
		return ""
	}
	return fmt.Sprintf(" %d states were visited, %d in iteration 0.", s.Visited, s.Before)
}

// remedyText returns what to try.
func remedyText(kind findings.Kind, r findings.Remedy) string {
	switch {
	case r.Field == "" && kind == findings.NothingChanges:
		return "podtrack env check shows what the environment does"
	case r.Field == "" && kind == findings.NoDirection:
		return "features in bins (of Gymnasium's: gym:NAME,bins=8,range=walk), each of which changes by 1"
	case r.Field == "":
		return CoarserStates
	}
	text := fmt.Sprintf("--%s %s", r.Field, r.Value)
	switch r.Field {
	case "feature_scale":
		return text + " gives all features that change the same scale"
	case "kappa":
		return fmt.Sprintf("%s would have kept %s", text, directions(r.Keeps))
	case "max_option_steps":
		return text + " leaves room for 20 calls in an iteration and 5 in an episode"
	case "learner":
		return text + " learns options that end, from the observed transitions"
	case "initiation":
		return text + " lets options start only where the observed transitions show that they end"
	case "option_probability":
		return text + " calls options at one decision in twenty"
	}
	return text
}

func directions(n int) string {
	if n == 1 {
		return "1 direction"
	}
	return fmt.Sprintf("%d directions", n)
}

// FindingLine returns a finding about a run on one line, with the first remedy.
func FindingLine(run string, f findings.Finding) string {
	line := fmt.Sprintf("run %s, iteration %d: %s", run, f.K, f.Text)
	if len(f.Remedies) > 0 {
		line += " Try " + f.Remedies[0].Text + "."
	}
	return line
}
