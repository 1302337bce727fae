package why

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// step is what this file makes of a recorded step, by its own arithmetic on a
// ring.
type step struct {
	k, t   int
	state  int
	source string    // the option being executed
	after  string    // option that was completed last, "" for none
	row    []float64 // φ(s') − φ(s)
}

// call is a stretch of steps under one decision, over the ends of chunks.
type call struct {
	option  int
	actions []uint8
}

// stepsOf returns the steps of the D that iteration k factored.
func stepsOf(t failer, run *recorded.Records, k int) (all []step) {
	t.Helper()
	first := k
	if run.Spec.Dataset == schema.Cumulative {
		first = 0
	}
	for ; first <= k; first++ {
		all = append(all, ownSteps(t, run, first)...)
	}
	return all
}

func ownSteps(t failer, run *recorded.Records, k int) (steps []step) {
	t.Helper()
	state, calls := callsOf(t, run, k)
	names := optionNames(t, run)
	bits, hide := int(run.Spec.Env.Params["bits"]), int(run.Spec.Env.Params["hide"])
	after := ""
	for _, c := range calls {
		for _, a := range c.actions {
			next := ((state + []int{-1, 1}[a]) + 1<<bits) % (1 << bits)
			source := []string{"left", "right"}[a]
			if c.option >= 0 {
				source = names[c.option]
			}
			steps = append(steps, step{
				k: k, t: len(steps), state: state, source: source, after: after,
				row: difference(state, next, bits, hide),
			})
			state = next
		}
		if c.option >= 0 {
			after = names[c.option]
		}
	}
	return steps
}

// callsOf puts the chunks together again: the first span of one goes on with the
// call in which the one before ended.
func callsOf(t failer, run *recorded.Records, k int) (start int, calls []call) {
	t.Helper()
	for i, c := range transitionsOf(t, run, k) {
		if i == 0 {
			start = int(c.Start)
		}
		actions := c.Actions
		for j, span := range c.Spans {
			taken := actions[:span.Steps]
			actions = actions[span.Steps:]
			if last := len(calls) - 1; j == 0 && last >= 0 && calls[last].option == int(span.Option) {
				calls[last].actions = append(slices.Clone(calls[last].actions), taken...)
			} else {
				calls = append(calls, call{int(span.Option), taken})
			}
		}
	}
	return start, calls
}

func transitionsOf(t failer, run *recorded.Records, k int) []schema.Transitions {
	t.Helper()
	return loaded(t, run, k, schema.KindTransitions, schema.DecodeTransitions)
}

// loaded returns the records of a kind.
func loaded[T any](t failer, run *recorded.Records, k int, kind schema.Kind, decode func([]byte) (T, error)) (all []T) {
	t.Helper()
	ok(t, run.View(func(tx *tracker.Tx) error {
		for _, name := range run.Iterations[k].RecordsOf(kind) {
			record, err := tx.ReadRecord(name)
			ok(t, err)
			v, err := decode(record)
			ok(t, err)
			all = append(all, v)
		}
		return nil
	}))
	return all
}

// optionNames returns all options of a run, by number.
func optionNames(t failer, run *recorded.Records) (names []string) {
	t.Helper()
	for k := range run.Iterations {
		for _, o := range loaded(t, run, k, schema.KindOption, schema.DecodeOption) {
			names = append(names,
				fmt.Sprintf("%s:%d/%d%s", run.Label(), k, o.Purpose.J, map[int]string{1: "+", -1: "-"}[o.Purpose.Sign]))
		}
	}
	return names
}

// difference of two states' bits, the least significant visible one first.
func difference(s, next, bits, hide int) []float64 {
	row := make([]float64, bits-hide)
	for i := range row {
		row[i] = float64(next>>(hide+i)&1) - float64(s>>(hide+i)&1)
	}
	return row
}

func product(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// parts returns the share and the support of some steps among all.
func parts(e []float64, all []step, some func(step) bool) (share, support float64) {
	var squares, rewards float64
	for _, s := range all {
		p := product(e, s.row)
		squares += p * p
		rewards += math.Max(p, 0) * math.Max(p, 0)
		if some(s) {
			share += p * p
			support += math.Max(p, 0) * math.Max(p, 0)
		}
	}
	if squares > 0 {
		share /= squares
	}
	if rewards > 0 {
		support /= rewards
	}
	return share, support
}

// rowsOf returns the steps' rows.
func rowsOf(steps []step) (rows [][]float64) {
	for _, s := range steps {
		rows = append(rows, s.row)
	}
	return rows
}

// near reports whether two numbers differ by no more than a part of the larger one,
// or of 1.
func near(x, y, part float64) bool {
	return math.Abs(x-y) <= part*math.Max(1, math.Max(math.Abs(x), math.Abs(y)))
}
