package diff

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
)

// naive computes what two options have in common state by state.
type naive struct {
	model          *envs.Model
	a, b           learnedOption
	qA, qB         []float64
	visited        map[int]int64
	in, same, tied int
	starts, ends   int
	part, whole    int64
	alike          int64 // visits of states in which both do the same
	alikeStates    int64
	out            BehaviourSimilarity
}

func naiveLikeness(env envs.SimulatedEnv, a, b learnedOption, visits []behaviours.StateVisits) BehaviourSimilarity {
	n := naive{
		model: env.Model(), a: a, b: b, visited: map[int]int64{}, out: BehaviourSimilarity{States: []Disagreement{}},
	}
	n.qA = learn.ActionValues(env, a.option.Purpose.Vector, a.value, a.gamma)
	n.qB = learn.ActionValues(env, b.option.Purpose.Vector, b.value, b.gamma)
	for _, v := range visits {
		n.visited[v.State] += v.Steps
	}
	squares, weighted, steps := 0.0, 0.0, 0.0
	for s, x := range a.value {
		steps += float64(n.visited[s])
		weighted += float64(n.visited[s]) * (x - b.value[s]) * (x - b.value[s])
		squares += (x - b.value[s]) * (x - b.value[s])
		n.out.Largest = math.Max(n.out.Largest, math.Abs(x-b.value[s]))
		if a.option.CanStart(s) || b.option.CanStart(s) {
			n.state(s)
		}
	}
	n.out.RMSE = math.Sqrt(squares / float64(len(a.value)))
	if steps > 0 {
		rmse := math.Sqrt(weighted / steps)
		n.out.Visited = &rmse
	}
	n.out.Policy, n.out.Ties, n.out.Jaccard, n.out.Terminal = 1, 1, 1, 1
	if in := float64(n.in); in > 0 {
		n.out.Policy, n.out.Ties = float64(n.same)/in, float64(n.tied)/in
		n.out.Jaccard, n.out.Terminal = float64(n.starts)/in, float64(n.ends)/in
	}
	n.out.Similarity = 1
	if n.whole > 0 {
		share := float64(n.part) / float64(n.whole)
		n.out.Visits, n.out.Similarity = &share, float64(n.alike)/float64(n.whole)
	} else if n.in > 0 {
		n.out.Similarity = float64(n.alikeStates) / float64(n.in)
	}
	return n.out
}

// state adds a state of I_A ∪ I_B.
func (n *naive) state(s int) {
	n.in++
	n.whole += n.visited[s]
	p, q := n.a.option.Policy[s], n.b.option.Policy[s]
	if p == q {
		n.same++
		n.part += n.visited[s]
	} else if n.out.Differing++; len(n.out.States) < 10 {
		n.out.States = append(n.out.States, Disagreement{State: s, A: p, B: q})
	}
	good, tied := n.asGood(n.a, n.qA, s), false
	for action := range n.asGood(n.b, n.qB, s) {
		tied = tied || good[action]
	}
	if tied {
		n.tied++
	}
	both := n.a.option.CanStart(s) && n.b.option.CanStart(s)
	if both {
		n.starts++
	}
	end, endB := n.follow(n.a.option, s), n.follow(n.b.option, s)
	if end >= 0 && end == endB {
		n.ends++
	}
	if both && tied && end == endB {
		n.alike += n.visited[s]
		n.alikeStates++
	}
}

// asGood returns the actions within the tolerance of the best, or ⊥ where none
// exceeds it; and only the one that the policy takes, where that is not among
// them.
func (n *naive) asGood(r learnedOption, q []float64, s int) map[int8]bool {
	row, tolerance := q[s*n.model.Actions:(s+1)*n.model.Actions], r.option.Certificate.Tolerance
	best := math.Inf(-1)
	for _, x := range row {
		best = math.Max(best, x)
	}
	set := map[int8]bool{}
	for action, x := range row {
		if best > tolerance && x >= best-tolerance {
			set[int8(action)] = true
		}
	}
	if best <= tolerance {
		set[schema.Terminate] = true
	}
	if taken := r.option.Policy[s]; !set[taken] {
		return map[int8]bool{taken: true}
	}
	return set
}

// follow returns where the option ends from s, −1 where it never does.
func (n *naive) follow(o *schema.Option, s int) int {
	for range n.model.States {
		if !o.CanStart(s) {
			return s
		}
		s = n.model.Next(s, int(o.Policy[s]))
	}
	if !o.CanStart(s) {
		return s
	}
	return -1
}

// drawOption returns an option as it is learned, or one with states changed, so that
// its policy may run in circles and not follow from its values.
func drawOption(t *rapid.T, env envs.SimulatedEnv, name string) learnedOption {
	r := makeOption(t, env, schema.Purpose{J: 1, Sign: 1, Vector: drawVector(t, name, len(env.Features()))}, 0.9)
	if rapid.Bool().Draw(t, name+" coarse") { // so that many actions tie
		r.option.Certificate.Tolerance = rapid.Float64Range(0, 1).Draw(t, name+" tolerance")
		for s, row := range slices.Collect(slices.Chunk(learn.ActionValues(env, r.option.Purpose.Vector, r.value,
			r.gamma), env.Model().Actions)) {
			r.option.Policy[s] = lowest(row, r.option.Certificate.Tolerance)
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, name+" changes") {
		state := rapid.IntRange(0, env.Model().States-1).Draw(t, name+" state")
		r = r.planted(state, int8(rapid.IntRange(-1, env.Model().Actions-1).Draw(t, name+" action")))
	}
	return r
}

// lowest returns the policy's rule.
func lowest(q []float64, tolerance float64) int8 {
	best := slices.Max(q)
	if best <= tolerance {
		return schema.Terminate
	}
	return int8(slices.IndexFunc(q, func(x float64) bool { return x >= best-tolerance }))
}

// TestLikeness compares every number with loops over the states.
func TestLikeness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := drawRing(t)
		a, b := drawOption(t, env, "a"), drawOption(t, env, "b")
		var visits []behaviours.StateVisits // of two iterations, one after the other
		for range rapid.IntRange(0, 8).Draw(t, "visits") {
			visits = append(visits, behaviours.StateVisits{
				State: rapid.IntRange(0, env.Model().States-1).Draw(t, "state"),
				Steps: rapid.Int64Range(1, 1<<40).Draw(t, "steps"),
			})
		}
		got, want := compareBehaviours(a.behaviour(env), b.behaviour(env), visits), naiveLikeness(env, a, b, visits)
		if diff := cmp.Diff(want, *got, cmpopts.EquateApprox(0, rounding)); diff != "" {
			t.Fatalf("- naive, + compared\n%s", diff)
		}
		itself := compareBehaviours(a.behaviour(env), a.behaviour(env), nil)
		if diff := cmp.Diff(BehaviourSimilarity{Similarity: 1, Policy: 1, Ties: 1, Jaccard: 1, Terminal: itself.Terminal,
			States: []Disagreement{}}, *itself); diff != "" {
			t.Fatalf("of an option with itself\n%s", diff)
		}
	})
}

// TestLikenessOfNothing: where neither option starts anywhere, there is nothing
// in which they differ, and no step that could weigh.
func TestLikenessOfNothing(t *testing.T) {
	env := ring(t, 4, 0)
	nothing := makeOption(t, env, schema.Purpose{J: 1, Sign: 1, Vector: make([]float64, 4)}, 0.9).behaviour(env)
	want := BehaviourSimilarity{
		Similarity: 1, Policy: 1, Ties: 1, Jaccard: 1, Terminal: 1, Visited: new(float64), States: []Disagreement{},
	}
	visits := []behaviours.StateVisits{{State: 3, Steps: 5}}
	if diff := cmp.Diff(&want, compareBehaviours(nothing, nothing, visits)); diff != "" {
		t.Error(diff)
	}
}

// TestAbsurdValues: a record can hold values that no learner makes.
func TestAbsurdValues(t *testing.T) {
	a, b := schema.Value{math.MaxFloat64, 0}, schema.Value{-math.MaxFloat64, 0}
	if rmse, largest := valueDifference(a, b); rmse != math.MaxFloat64 || largest != math.MaxFloat64 {
		t.Errorf("RMSE %v, largest difference %v", rmse, largest)
	}
}

// TestCirclesEndNowhere: two policies that both run in a circle do not agree on
// where they end.
func TestCirclesEndNowhere(t *testing.T) {
	env := ring(t, 2, 0)
	circle := makeOption(t, env, schema.Purpose{J: 1, Sign: 1, Vector: []float64{0, 0}}, 0.9)
	for s := range 3 { // 0 → 1 → 0, 2 → 3
		circle = circle.planted(s, int8(1-s%2))
	}
	circle = circle.planted(2, 1)
	got := compareBehaviours(circle.behaviour(env), circle.behaviour(env), nil)
	if got.Policy != 1 || got.Terminal != 1.0/3 {
		t.Errorf("policy %v, ends %v: only state 2 of 0, 1 and 2 ends", got.Policy, got.Terminal)
	}
}

func TestShownStatesAreBounded(t *testing.T) {
	env := ring(t, 8, 0)
	none := makeOption(t, env, schema.Purpose{J: 1, Sign: 1, Vector: make([]float64, 8)}, 0.9)
	all := none
	for s := range 256 {
		all = all.planted(s, 1)
	}
	l := compareBehaviours(none.behaviour(env), all.behaviour(env), nil)
	if l.Differing != 256 || len(l.States) != shownStates ||
		l.States[0] != (Disagreement{State: 0, A: schema.Terminate, B: 1}) {
		t.Errorf("%d differ, shown %v", l.Differing, l.States)
	}
}
