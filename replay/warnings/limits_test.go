package warnings

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is a warning, and one less is none.
func TestLimits(t *testing.T) {
	found := func(find func(r *Reader)) bool {
		var r Reader
		find(&r)
		return len(r.found) > 0
	}
	recurrence := func(steps, visited, calls int64) bool {
		length := 1.0
		return found(func(r *Reader) {
			r.recurrence(iteration{spec: schema.Spec{Env: schema.Env{External: &schema.External{}}, Steps: steps},
				measures: schema.Measures{StatesVisited: visited, Calls: calls, OptionLength: &length}})
		})
	}
	calls := func(it iteration, first int64) bool {
		it.measures.Available = 1
		return found(func(r *Reader) {
			if r.first = first; r.calls(nil, it) != nil {
				t.Error("it reads records")
			}
		})
	}
	uncalled := func(steps int64) bool { return calls(iteration{spec: schema.Spec{Steps: steps}}, 0) }
	fewer := func(first, visited, called int64) bool {
		length := 1.0
		return calls(iteration{spec: schema.Spec{Steps: 100},
			measures: schema.Measures{StatesVisited: visited, Calls: called, OptionLength: &length}}, first)
	}
	truncated := func(steps, of, calls int64) bool {
		return (&callEnds{steps: steps, truncatedSteps: of, atLimit: 1, atEpisode: calls - 1}).mostlyTruncated()
	}
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"steps without recurrence", recurrence(200, 200, 0), recurrence(199, 199, 0)},
		{"states that do not recur", recurrence(1000, 900, 0), recurrence(1000, 899, 0)},
		{"steps in options without recurrence", recurrence(1000, 900, 99), recurrence(1000, 900, 100)},
		{"expected calls", uncalled(100), uncalled(99)},
		{"states without options", fewer(20, 10, 50), fewer(19, 9, 50)},
		{"half of the states", fewer(20, 10, 50), fewer(20, 11, 50)},
		{"steps in options", fewer(20, 10, 50), fewer(20, 10, 49)},
		{"truncated calls of few steps", truncated(199, 199, 2), truncated(199, 199, 1)},
		{"steps of a truncated call", truncated(200, 200, 1), truncated(199, 199, 1)},
		{"steps in truncated calls", truncated(200, 100, 1), truncated(200, 99, 1)},
		{"features that are named", len(least(make([]Feature, 9))) == 8, len(least(make([]Feature, 8))) < 8},
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: a warning at the limit: %t, one beyond: %t", limit.name, limit.at, limit.beyond)
		}
	}
}

func TestMain(m *testing.M) { schematest.Main(m) }
