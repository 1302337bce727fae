package collect_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// call is one decision for an option and the steps that followed of it.
type call struct{ option, from, to int }

// naiveWalk is a walk recorded by the naive agent of this file.
type naiveWalk struct {
	start   int
	states  []int // after each step
	actions []uint8
	force   []int // option being executed at each step, or -1
	calls   []call
	pending int // option that the end cut, or -1
}

// runNaiveAgent follows the definition of the agent step by step, n steps.
func runNaiveAgent(
	bits int, options []*schema.Option, b schema.Behaviour, stream *rng.Stream, state, n int,
) *naiveWalk {
	j := &naiveWalk{start: state, pending: -1}
	step := func(a, option int) {
		state = podtest.Neighbour(state, a, bits)
		j.states, j.actions, j.force = append(j.states, state), append(j.actions, uint8(a)), append(j.force, option)
	}
	for len(j.actions) < n {
		choices := []int{-1, -1}
		for number, o := range options {
			if o.Policy[state] != -1 {
				choices = append(choices, number)
			}
		}
		draw := stream.Below(len(choices))
		if draw < 2 {
			step(draw, -1)
			for more := newNaiveHold(b, stream); len(j.actions) < n && more(); {
				step(draw, -1)
			}
			continue
		}
		option, from := choices[draw], len(j.actions)
		policy := options[option].Policy
		for len(j.actions) < n && policy[state] != -1 {
			step(int(policy[state]), option)
		}
		j.calls = append(j.calls, call{option, from, len(j.actions)})
		if policy[state] != -1 {
			j.pending = option
		}
	}
	return j
}

// chunk returns the walk as a transitions record has it: a span for each call and for
// each stretch of primitive actions.
func (n *naiveWalk) chunk() schema.Transitions {
	t := schema.Transitions{Start: uint64(n.start), Arity: 2, Actions: n.actions}
	starts := map[int]bool{}
	for _, c := range n.calls {
		starts[c.from] = true
	}
	for i, option := range n.force {
		if i == 0 || starts[i] || option != n.force[i-1] {
			t.Spans = append(t.Spans, schema.Span{Option: int32(option)})
		}
		t.Spans[len(t.Spans)-1].Steps++
	}
	return t
}

func (n *naiveWalk) state() int {
	if len(n.states) == 0 {
		return n.start
	}
	return n.states[len(n.states)-1]
}

// drawOptions returns options of any policy, cycles included.
func drawOptions(t *rapid.T, states int) []*schema.Option {
	policy := rapid.SliceOfN(rapid.Int8Range(-1, 1), states, states)
	var options []*schema.Option
	for range rapid.IntRange(0, 4).Draw(t, "options") {
		o := &schema.Option{Arity: 2, Policy: policy.Draw(t, "policy")}
		o.Certificate.Reach = rapid.Ptr(rapid.Float64Range(1, 100), true).Draw(t, "reach")
		options = append(options, o)
	}
	return options
}

// walkPlan is a drawn configuration of a walk.
type walkPlan struct {
	bits, state, steps int
	seed               uint64
	options            []*schema.Option
	behaviour          schema.Behaviour
}

func drawWalkPlan(t *rapid.T) walkPlan {
	bits := rapid.IntRange(1, 6).Draw(t, "bits")
	return walkPlan{
		bits:    bits,
		state:   rapid.IntRange(0, 1<<bits-1).Draw(t, "state"),
		steps:   rapid.IntRange(0, 300).Draw(t, "steps"),
		seed:    rapid.Uint64().Draw(t, "seed"),
		options: drawOptions(t, 1<<bits),
		behaviour: rapid.SampledFrom([]schema.Behaviour{"", "zeta=2", "zeta=3", "geometric=1.5",
			"geometric=40"}).Draw(t, "behaviour"),
	}
}

func (w walkPlan) collector(t rapid.TB) *collect.Collector {
	return &collect.Collector{
		Env: podtest.Ring(t, w.bits, 0), Options: collect.OptionSet{Options: w.options},
		Stream: rng.NewStream(w.seed, 3, collect.WalkStream),
		State:  w.state, Executing: schema.Primitive, Persistence: collect.NewPersistence(w.behaviour),
	}
}

func (w walkPlan) runNaiveAgent() (*naiveWalk, *rng.Stream) {
	stream := rng.NewStream(w.seed, 3, collect.WalkStream)
	return runNaiveAgent(w.bits, w.options, w.behaviour, stream, w.state, w.steps), stream
}

func position(t rapid.TB, s *rng.Stream) []byte {
	t.Helper()
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// TestCollect: the collector agrees with the naive agent in every action, option, state
// and position of the stream.
func TestCollect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawWalkPlan(t)
		c := j.collector(t)
		got := schema.Transitions{Start: uint64(j.state), Arity: 2}
		_ = c.Collect(context.Background(), &got, j.steps)
		naive, stream := j.runNaiveAgent()
		want := naive.chunk()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("transitions (-want +got):\n%s", diff)
		}
		if len(got.Actions) != j.steps {
			t.Fatalf("%d steps, want %d", len(got.Actions), j.steps)
		}
		if c.State != naive.state() || c.Executing != naive.pending {
			t.Fatalf("in state %d under option %d, want %d under %d", c.State, c.Executing, naive.state(),
				naive.pending)
		}
		if !bytes.Equal(position(t, c.Stream), position(t, stream)) {
			t.Fatal("another number of draws than one a decision")
		}
		if b, err := got.Encode(); err != nil {
			t.Fatal(err)
		} else if _, err := schema.DecodeTransitions(b); err != nil {
			t.Fatal(err)
		}
	})
}

// drawPartLengths are the lengths of slices that add up to n, some of nothing.
// TestCollectLeavesOut: an option that is left out is as good as one that can start nowhere, and the
// others keep their numbers.
func TestCollectLeavesOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawWalkPlan(t)
		left, without := []uint64{}, slices.Clone(j.options)
		for number, o := range without {
			if rapid.Bool().Draw(t, "left out") {
				nowhere := *o
				nowhere.Policy = slices.Repeat([]int8{-1}, len(o.Policy))
				left, without[number] = append(left, uint64(number)), &nowhere
			}
		}
		var got, want schema.Transitions
		c := j.collector(t)
		c.Options.LeaveOut = left
		_ = c.Collect(t.Context(), &got, j.steps)
		c = j.collector(t)
		c.Options.Options = without
		_ = c.Collect(t.Context(), &want, j.steps)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("transitions (-want +got):\n%s", diff)
		}
	})
}

// TestCollectReplaces: options that are no longer in the action set are as good as ones that can start nowhere,
// and the others keep their numbers, in the steps and in what is counted of them.
func TestCollectReplaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawWalkPlan(t)
		first := rapid.IntRange(0, len(j.options)).Draw(t, "first")
		without := slices.Clone(j.options)
		for number, o := range without[:first] {
			nowhere := *o
			nowhere.Policy = slices.Repeat([]int8{-1}, len(o.Policy))
			without[number] = &nowhere
		}
		var got, want schema.Transitions
		c := j.collector(t)
		c.Options = collect.OptionSet{First: first, Options: j.options[first:]}
		_ = c.Collect(t.Context(), &got, j.steps)
		kept := collect.NewTransitionStats(c.Env, c.Options, j.state)
		c = j.collector(t)
		c.Options.Options = without
		_ = c.Collect(t.Context(), &want, j.steps)
		all := collect.NewTransitionStats(c.Env, c.Options, j.state)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("transitions (-want +got):\n%s", diff)
		}
		if j.steps == 0 {
			return
		}
		want.Start, want.Arity, got.Start, got.Arity = uint64(j.state), 2, uint64(j.state), 2
		if err := errors.Join(kept.Add(&got), all.Add(&want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all.OptionUsage()[first:], kept.OptionUsage()); diff != "" {
			t.Fatalf("usage (-want +got):\n%s", diff)
		}
		if n := kept.Measures(0, 0).Available; n != int64(len(j.options)-first) {
			t.Fatalf("%d options available, want %d", n, len(j.options)-first)
		}
	})
}

func drawPartLengths(t *rapid.T, n int) []int {
	var cuts []int
	for left := n; left > 0; {
		cut := rapid.IntRange(0, min(left, 40)).Draw(t, "cut")
		cuts, left = append(cuts, cut), left-cut
		if len(cuts) > 100 {
			return append(cuts, left)
		}
	}
	return cuts
}

// restored returns the collector as a checkpoint brings it back.
func restored(t rapid.TB, c *collect.Collector) *collect.Collector {
	t.Helper()
	stream, err := rng.RestoreStream(position(t, c.Stream))
	if err != nil {
		t.Fatal(err)
	}
	return &collect.Collector{Env: c.Env, Options: c.Options, Stream: stream, State: c.State, Executing: c.Executing,
		OptionProbability: c.OptionProbability, Persistence: c.Persistence, Held: c.Held}
}

// TestCollectInParts: a walk does not depend on how it is divided into slices and chunks,
// nor on checkpoints.
func TestCollectInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawWalkPlan(t)
		c := j.collector(t)
		chunks := []schema.Transitions{{Start: uint64(j.state), Arity: 2}}
		for _, n := range drawPartLengths(t, j.steps) {
			if rapid.Bool().Draw(t, "checkpoint") {
				c = restored(t, c)
			}
			if last := chunks[len(chunks)-1]; len(last.Actions) > 0 && rapid.Bool().Draw(t, "new chunk") {
				chunks = append(chunks, schema.Transitions{Start: uint64(c.State), Arity: 2})
			}
			_ = c.Collect(context.Background(), &chunks[len(chunks)-1], n)
		}
		naive, stream := j.runNaiveAgent()
		if diff := cmp.Diff(naive.chunk(), joinChunks(chunks)); diff != "" {
			t.Fatalf("transitions in %d chunks (-want +got):\n%s", len(chunks), diff)
		}
		if c.State != naive.state() || c.Executing != naive.pending ||
			!bytes.Equal(position(t, c.Stream), position(t, stream)) {
			t.Fatalf("in state %d under option %d, want %d under %d", c.State, c.Executing, naive.state(),
				naive.pending)
		}
		checkStarts(t, chunks, naive)
	})
}

// checkStarts: each chunk begins where the one before it ended.
func checkStarts(t rapid.TB, chunks []schema.Transitions, naive *naiveWalk) {
	t.Helper()
	steps := 0
	for i, c := range chunks {
		if i > 0 && c.Start != uint64(naive.states[steps-1]) {
			t.Errorf("chunk %d starts in state %d, want %d", i, c.Start, naive.states[steps-1])
		}
		steps += len(c.Actions)
	}
}

// joinChunks joins chunks as FORMAT.md reads them: a first span that names the option
// of the span before it goes on with it.
func joinChunks(chunks []schema.Transitions) schema.Transitions {
	all := chunks[0]
	for _, c := range chunks[1:] {
		all.Actions = append(all.Actions, c.Actions...)
		spans := slices.Clone(c.Spans)
		if last := len(all.Spans) - 1; last >= 0 && len(spans) > 0 && spans[0].Option == all.Spans[last].Option {
			all.Spans[last].Steps += spans[0].Steps
			spans = spans[1:]
		}
		all.Spans = append(all.Spans, spans...)
	}
	return all
}
