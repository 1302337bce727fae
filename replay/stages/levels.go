package stages

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// EnvProgram is the value of [Level.Needs] for a stage that needs the program of an external environment.
const EnvProgram = "env"

// Level is how far a head proves a stage: the lowest level of its records in a run's iterations.
type Level struct {
	Stage string       `json:"stage"`
	Level schema.Level `json:"level"`         // without any external program
	With  schema.Level `json:"with_programs"` // with the program that Needs names

	// Needs is the program that executing the stage again takes: one of [schema.ExternalStages], or [EnvProgram], or
	// empty for none.
	Needs string `json:"needs,omitempty"`
}

// LevelsOf returns the lowest levels of a run's first n iterations, like [LevelsAt]. For n = 0 it returns those of
// iteration 0.
func LevelsOf(run tracker.Run, n int) (all []Level) {
	for _, stage := range All {
		var lowest []Level // one at most
		eachSpec(run, n, func(spec schema.Spec, first, _ int) {
			for _, l := range LevelsAt(spec, first) {
				if l.Stage == stage && (lowest == nil || isLower(l.Level, lowest[0].Level)) {
					lowest = []Level{l}
				}
			}
		})
		all = append(all, lowest...)
	}
	return all
}

// LowestLevel returns the lowest of some levels.
func LowestLevel(levels []Level) schema.Level {
	lowest := schema.Recomputed
	for _, l := range levels {
		if isLower(l.Level, lowest) {
			lowest = l.Level
		}
	}
	return lowest
}

// CountLevels returns, for each level, how many stages of a run's first n iterations have it.
func CountLevels(run tracker.Run, n int) map[schema.Level]int {
	count := map[schema.Level]int{}
	eachSpec(run, n, func(spec schema.Spec, first, until int) {
		for _, l := range LevelsAt(spec, first) {
			count[l.Level] += min(until, n) - min(first, n)
		}
	})
	return count
}

// eachSpec divides a run's first n iterations into ranges that have one spec and do not mix imported with collected
// data, and calls f for each.
func eachSpec(run tracker.Run, n int, f func(spec schema.Spec, first, until int)) {
	first := 0
	n = max(n, 1)
	visit := func(spec schema.Spec, until int) {
		if first == 0 && IsImportedAt(spec, 0) {
			f(spec, 0, 1)
			first = 1
		}
		if until = min(until, n); first < until {
			f(spec, first, until)
			first = until
		}
	}
	for _, a := range run.Ancestors {
		visit(a.Spec, a.Until)
	}
	visit(run.Spec, n)
}

// LevelsAt returns the levels of iteration k of a run, by stage in the order of execution. It leaves out a selection
// that makes no record.
func LevelsAt(spec schema.Spec, k int) []Level {
	all := make([]Level, 0, len(All))
	for _, stage := range All {
		if stage == Select && !spec.RecordsSelection() {
			continue
		}
		l := Level{Stage: stage, Level: schema.Recomputed, With: schema.Recomputed}
		if name := SpecStages[stage]; name != "" {
			l.Level = spec.LevelWithout(name)
			switch {
			case l.Level == schema.Recomputed:
			case spec.Stages.Of(name) != nil:
				l.Needs = name
			default:
				l.Needs = EnvProgram
			}
		}
		if stage == Collect && IsImportedAt(spec, k) {
			l.Level, l.With = schema.Verified, schema.Verified
		}
		all = append(all, l)
	}
	return all
}

func isLower(a, b schema.Level) bool {
	levels := schema.Levels()
	return slices.Index(levels, a) > slices.Index(levels, b)
}

// SpecStages maps each stage that can be external to the field of a spec that declares its program.
var SpecStages = map[string]string{
	Collect: schema.CollectStage, Factor: schema.MethodStage,
	Select: schema.SelectStage, Learn: schema.LearnerStage, Measure: schema.MeasureStage,
}
