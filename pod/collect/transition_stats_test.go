package collect_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
	"github.com/podtrack/podtrack/schema/wire"
)

// rows returns the differences of the walk, one a step.
func (n *naiveWalk) rows(bits, hide int) [][]float64 {
	var rows [][]float64
	at := n.start
	for _, s := range n.states {
		rows = append(rows, podtest.Difference(at, s, bits, hide))
		at = s
	}
	return rows
}

// coordinates returns the unwrapped places of the walk, from 0.
func (n *naiveWalk) coordinates() []int64 {
	xs := []int64{0}
	for _, a := range n.actions {
		xs = append(xs, xs[len(xs)-1]+map[uint8]int64{0: -1, 1: 1}[a])
	}
	return xs
}

// uses recounts what each option was used for.
func (n *naiveWalk) uses(options int) []collect.Usage {
	uses := make([]collect.Usage, options)
	seen := map[int]bool{n.start: true}
	for i, s := range n.states {
		if o := n.force[i]; o >= 0 {
			uses[o].Steps++
			if !seen[s] {
				uses[o].NewStates++
			}
		}
		seen[s] = true
	}
	for _, c := range n.calls {
		uses[c.option].Calls++
	}
	if n.pending >= 0 {
		uses[n.pending].Truncated = 1
	}
	return uses
}

// measures recounts the measures of an iteration.
func (n *naiveWalk) measures(options []*schema.Option) schema.Measures {
	m := schema.Measures{Purposes: 5, Options: 10, Available: int64(len(options)), Calls: int64(len(n.calls))}
	if n.pending >= 0 {
		m.Truncated = 1
	}
	seen, executed := map[int]bool{n.start: true}, 0
	for _, s := range n.states {
		seen[s] = true
	}
	m.StatesVisited = int64(len(seen))
	for _, c := range n.calls {
		executed += c.to - c.from
	}
	if len(n.calls) > 0 {
		m.OptionLength = new(float64(executed) / float64(len(n.calls)))
	}
	var farthest, right int64
	xs := n.coordinates()
	for _, x := range xs {
		farthest, right = max(farthest, x, -x), max(right, x)
	}
	last := xs[len(xs)-1]
	m.Distance, m.Final, m.DistanceOneSided = &farthest, new(max(last, -last)), &right
	reach, count := 0.0, 0.0
	for _, o := range options {
		if o.Certificate.Reach != nil {
			reach, count = reach+*o.Certificate.Reach, count+1
		}
	}
	if count > 0 {
		m.Reach = new(reach / count)
	}
	return m
}

// TestTransitionStats: the statistics equal a recount, over chunks of any length and for
// any number of hidden bits.
func TestTransitionStats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawWalkPlan(t)
		hide := rapid.IntRange(0, j.bits-1).Draw(t, "hide")
		stats := collect.NewTransitionStats(podtest.Ring(t, j.bits, hide), collect.OptionSet{Options: j.options}, j.state)
		for _, c := range splitIntoChunks(j.collector(t), drawPartLengths(t, j.steps)) {
			if err := stats.Add(&c); err != nil {
				t.Fatal(err)
			}
		}
		naive, _ := j.runNaiveAgent()
		if diff := cmp.Diff(podtest.Counted(j.bits-hide, naive.rows(j.bits, hide)), stats.Dataset()); diff != "" {
			t.Fatalf("dataset (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(naive.uses(len(j.options)), stats.OptionUsage(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("uses (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(naive.measures(j.options), stats.Measures(5, 10)); diff != "" {
			t.Fatalf("measures (-want +got):\n%s", diff)
		}
		if stats.Steps() != int64(j.steps) || stats.State() != naive.state() {
			t.Fatalf("%d steps to state %d, want %d to %d", stats.Steps(), stats.State(), j.steps, naive.state())
		}
	})
}

// splitIntoChunks walks a chunk for each of the lengths.
func splitIntoChunks(c *collect.Collector, lengths []int) []schema.Transitions {
	var chunks []schema.Transitions
	for _, n := range lengths {
		chunk := schema.Transitions{Start: uint64(c.State), Arity: 2}
		_ = c.Collect(context.Background(), &chunk, n)
		chunks = append(chunks, chunk)
	}
	return chunks
}

func TestTransitionStatsRefuse(t *testing.T) {
	step := schema.Transitions{Start: 5, Arity: 2, Actions: []uint8{1},
		Spans: []schema.Span{{Steps: 1, Option: schema.Primitive}}}
	tests := []struct {
		name   string
		change func(*schema.Transitions)
		ok     bool
	}{
		{"as it should be", func(c *schema.Transitions) {}, true},
		{"another start", func(c *schema.Transitions) { c.Start = 6 }, false},
		{"a start beyond any state", func(c *schema.Transitions) { c.Start = math.MaxUint64 }, false},
		{"one action", func(c *schema.Transitions) { c.Arity = 1 }, false},
		{"three actions", func(c *schema.Transitions) { c.Arity = 3 }, false},
		{"a reset", func(c *schema.Transitions) { c.Episodes = []schema.Episode{{Step: 0, State: 5}} }, false},
		{"the only option", func(c *schema.Transitions) { c.Spans[0].Option = 0 }, true},
		{"no such option", func(c *schema.Transitions) { c.Spans[0].Option = 1 }, false},
		{"the largest number", func(c *schema.Transitions) { c.Spans[0].Option = math.MaxInt32 }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			option := &schema.Option{Arity: 2, Policy: slices.Repeat([]int8{1}, 8)}
			stats := collect.NewTransitionStats(podtest.Ring(t, 3, 0), collect.OptionSet{Options: []*schema.Option{option}}, 5)
			chunk := step
			chunk.Spans = slices.Clone(step.Spans)
			tt.change(&chunk)
			if err := stats.Add(&chunk); tt.ok && err != nil || !tt.ok && !errors.Is(err, wire.ErrMalformed) {
				t.Errorf("%v", err)
			}
			if again := stats.Add(&step); tt.ok && !errors.Is(again, wire.ErrMalformed) {
				t.Errorf("the chunk that was walked goes on from itself: %v", again)
			}
		})
	}
}
