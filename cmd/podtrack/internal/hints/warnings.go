package hints

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// SetTexts sets the texts of a run's warnings, of their remedies, and of what its head proves.
func SetTexts(r *report.Run) {
	r.Proves = ProvesText(r.Levels)
	for i := range r.Warnings {
		f := &r.Warnings[i]
		f.Text = warningText(*f)
		for j := range f.Remedies {
			f.Remedies[j].Text = remedyText(f.Kind, f.Remedies[j])
		}
	}
}

// warningText returns a warning as a sentence.
func warningText(f warnings.Warning) string {
	switch f.Kind {
	case warnings.NothingChanges:
		return "Nothing that the agent observes ever changes, so there are no directions to follow."
	case warnings.NoDirection:
		return fmt.Sprintf("No direction passes κ, so there are no options: the largest %s is %.3g, and κ is %v.%s",
			f.Direction.Symbol, f.Direction.Largest, f.Direction.Kappa, when(len(f.Features) > 0,
				" Root mean squares of the features' changes in a step: %s.", scaleText(f.Features)))
	case warnings.SmallFeatures:
		return smallText(f)
	case warnings.NoRecurrence:
		return fmt.Sprintf("States do not recur: %d distinct observations in %d steps.%s", f.States.Visited, f.States.Steps,
			unusedText(f.Calls))
	case warnings.NeverCalled:
		return fmt.Sprintf("None of the %d available options was called in %d steps: the agent was in no state in which "+
			"one can start.%s", f.Calls.Available, f.States.Steps, when(f.Calls.Empty > 0,
			" Of the %d latest ones that were looked at, %d can start nowhere.", f.Calls.Examined, f.Calls.Empty))
	case warnings.NeverEnd:
		return fmt.Sprintf("Most steps are of options that do not end: of %d calls, %d ended in a state in which the option "+
			"terminates, %d after max_option_steps (%d), %d with an episode%s. Options take %.0f %% of the steps.%s",
			f.Calls.Calls, f.Calls.Ended, f.Calls.AtLimit, f.Calls.Limit, f.Calls.AtEpisode,
			when(f.Calls.Episode > 0, " (truncated after %d steps)", f.Calls.Episode), 100*f.Calls.Share,
			when(f.States.Visited < f.States.Before, " %d states were visited, %d in iteration 0.", f.States.Visited,
				f.States.Before)) +
			when(f.Calls.Steps < f.States.Steps, " The calls are those of the first %d steps.", f.Calls.Steps)
	case warnings.FewerStates:
		return fmt.Sprintf("Options keep the agent where it was: %d states were visited, %d in iteration 0 without options; "+
			"options take %.0f %% of the steps.", f.States.Visited, f.States.Before, 100*f.Calls.Share)
	case warnings.NotRepeatable:
		return NotRepeatableText(*f.Recheck)
	}
	return string(f.Kind)
}

// NotRepeatableText returns what a recheck that found a difference means.
func NotRepeatableText(r tracker.Recheck) string {
	return "The environment is not reproducible. In a second process, " + r.Differs + ": an interrupted iteration " +
		"cannot be resumed, and a replay gives another result."
}

// when returns a text if a condition holds, else "".
func when(holds bool, format string, values ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, values...)
}

// smallText returns which features hardly change beside the others, and what follows.
func smallText(f warnings.Warning) string {
	names := textfmt.Map(f.Features, func(x warnings.Feature) string { return x.Name })
	change, them, and, last := "hardly change", "them", " and ", len(names)-1
	if last == 0 {
		change, them, and = "hardly changes", "it", ""
	}
	return fmt.Sprintf("%s %s beside the others: with κ %v no purpose is about %s alone. Root mean squares of a step: "+
		"%s. The largest %s of all directions is %.3g.", strings.Join(names[:last], ", ")+and+names[last], change,
		f.Direction.Kappa, them, scaleText(f.Features), f.Direction.Symbol, f.Direction.Largest)
}

func scaleText(features []warnings.Feature) string {
	return strings.Join(textfmt.Map(features,
		func(x warnings.Feature) string { return fmt.Sprintf("%s %.2g", x.Name, x.RMS) }), ", ")
}

func unusedText(c *warnings.Calls) string {
	if c.Available == 0 {
		return " What is learned about a state is of no use unless the agent comes back to it."
	}
	return fmt.Sprintf(" The %d available options start in states that were seen before, and were called %d times.",
		c.Available, c.Calls)
}

// remedyText returns what to try.
func remedyText(kind warnings.Kind, r warnings.Remedy) string {
	switch {
	case kind == warnings.NotRepeatable:
		return "seeding all that the environment draws from in its reset, and clearing all state there; " +
			"podtrack run check tries it out"
	case r.Field == "" && kind == warnings.NothingChanges:
		return "podtrack run check shows what the environment does"
	case r.Field == "" && kind == warnings.NoDirection:
		return "features in bins (of Gymnasium's: gym:NAME,bins=8,range=walk), each of which changes by 1"
	case r.Field == "":
		return "fewer features or coarser ones (of Gymnasium's: gym:NAME,bins=8,range=walk, or wrap=MODULE:FUNC); or " +
			"--learner lspi, which values states by their features" // where states do not recur
	}
	text := strings.Join(FieldWords(r.Field, r.Value), " ")
	switch r.Field {
	case "feature_scale":
		return text + " gives all features that change the same scale"
	case "kappa":
		return fmt.Sprintf("%s would have kept %s", text, textfmt.CountOf(r.Keeps, "direction"))
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
