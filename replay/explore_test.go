package replay_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// explored reads how a run explored.
func explored(t testing.TB, store *tracker.Store, run tracker.Run) (r *explore.Summary) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) (err error) {
		r, err = explore.ReadRun(tx.View, run)
		return err
	})
	return r
}

// TestExploration compares the measures of every pinned spec with those counted from the steps with maps.
func TestExploration(t *testing.T) {
	for _, p := range schematest.Sample(pinnedHeads(t)) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			store, run := perform(t, p.job())
			got, first := explored(t, store, run), map[int]int64{}
			records, err := recorded.Open(store.Within(t.Context()), run)
			ok(t, err)
			env, steps := records.Env, int64(0)
			for k := range records.Iterations {
				before, counts := len(first), map[int]int64{}
				visit := func(s int, after int64) {
					if _, seen := first[s]; !seen {
						first[s] = after
					}
					counts[s]++
				}
				var last recorded.Step
				end, err := records.VisitSteps(k, func(s recorded.Step) {
					if s.T == 0 || last.Resets {
						visit(s.State, steps)
					}
					steps++
					visit(s.Next, steps)
					last = s
				})
				ok(t, err)
				if last.Resets {
					visit(end, steps)
				}
				checkIteration(t, got, k, len(first), len(first)-before, counts)
				view(t, store, func(tx *tracker.Tx) error {
					m, err := report.LoadMeasures(tx, run.ID, k)
					if err == nil && m.StatesVisited != int64(len(counts)) {
						t.Errorf("iteration %d: %d states visited, the measure is %d", k, len(counts), m.StatesVisited)
					}
					return err
				})
			}
			checkFirst(t, got, first)
			if *got.States < int64(len(first)) || *got.States > int64(env.States()) {
				t.Errorf("%d states, of which %d were visited", *got.States, len(first))
			}
		})
	}
}

// checkIteration checks the measures of iteration k, given what was visited.
func checkIteration(t *testing.T, r *explore.Summary, k, covered, fresh int, counts map[int]int64) {
	t.Helper()
	total, entropy := 0.0, 0.0
	for _, c := range counts {
		total += float64(c)
	}
	for _, c := range counts {
		entropy -= float64(c) / total * math.Log2(float64(c)/total)
	}
	it := r.Iterations[k]
	if *it.Covered != int64(covered) || *it.NewStates != int64(fresh) || math.Abs(*it.Entropy-entropy) > 1e-9 {
		t.Errorf("iteration %d: covered %d, new %d, entropy %v; want %d, %d, %v", k, *it.Covered, *it.NewStates,
			*it.Entropy, covered, fresh, entropy)
	}
	if share := float64(covered) / float64(*r.States); *it.CoveredShare != share {
		t.Errorf("iteration %d: covered share %v, want %v", k, *it.CoveredShare, share)
	}
	if h := *it.EntropyNormalised; h < 0 || h > 1+1e-12 || math.Abs(h*math.Log2(float64(*r.States))-entropy) > 1e-9 {
		t.Errorf("iteration %d: normalised entropy %v of %v bits", k, h, entropy)
	}
}

// checkFirst checks the first visits, and the steps to shares of the states.
func checkFirst(t *testing.T, r *explore.Summary, first map[int]int64) {
	t.Helper()
	var times []int64
	for i, f := range r.First {
		if first[f.State] != f.Steps || i > 0 && f.Steps < r.First[i-1].Steps {
			t.Errorf("state %d was first visited after %d steps, not %d", f.State, first[f.State], f.Steps)
		}
		times = append(times, f.Steps)
	}
	if len(times) != len(first) || *r.Covered != int64(len(first)) {
		t.Errorf("%d first visits, covered %d; want %d", len(times), *r.Covered, len(first))
	}
	for share, got := range map[float64]*int64{0.25: r.StepsToQuarter, 0.5: r.StepsToHalf, 1: r.StepsToAll} {
		n := int(math.Ceil(share * float64(*r.States)))
		if reached := n <= len(times); reached != (got != nil) || reached && *got != times[n-1] {
			t.Errorf("steps to %v of %d states: %v", share, *r.States, got)
		}
	}
	if r.StepsTo(0) != nil || r.StepsTo(int64(len(times))+1) != nil || *r.StepsTo(1) != 0 {
		t.Error("steps to no state, to more than were visited, or to the first")
	}
}

// TestExplorationOfStates: the numbers of reachable states are known. In the taxi the passenger is at the destination
// only when an episode ends (Dietterich 2000: 404 of Gym's 500).
func TestExplorationOfStates(t *testing.T) {
	taxi, err := envs.DefaultEnv("taxi")
	ok(t, err)
	rooms, err := envs.DefaultEnv("grid")
	ok(t, err)
	maze, err := envs.DefaultEnv("maze") // 8² cells and 63 passages
	ok(t, err)
	for _, c := range []struct {
		env  schema.Env
		want int64
	}{{taxi, 404}, {rooms, 104}, {maze, 127}, {pod.PaperSpec().Env, 4096}} {
		spec := pod.PaperSpec()
		spec.Env, spec.Steps = c.env, 50
		store, run := perform(t, replay.Job{Spec: spec, Target: 1})
		if got := explored(t, store, run); *got.States != c.want {
			t.Errorf("%s has %d states, want %d", c.env.Name, *got.States, c.want)
		}
	}
}

// TestExplorationAfterInterruptions: a run that was stopped again and again has the measures of an uninterrupted one.
func TestExplorationAfterInterruptions(t *testing.T) {
	job := replay.Job{Spec: small(), Target: 4}
	store, run := perform(t, job)
	want := explored(t, store, run)
	stopped := newStore(t, tracker.Options{})
	stops := 0
	for n := int64(1); ; n += 3 {
		if _, done := interrupt(t, stopped, job, n); done {
			break
		}
		stops++
	}
	if d := cmp.Diff(want, explored(t, stopped, run)); d != "" || stops < 3 {
		t.Errorf("after %d interruptions (-whole +resumed):\n%s", stops, d)
	}
}

// TestExplorationOfForks: a fork shares what its parent did before, and counts on from there.
func TestExplorationOfForks(t *testing.T) {
	store, parent := perform(t, replay.Job{Spec: small(), Target: 4})
	theirs := explored(t, store, parent)
	child := explored(t, store, fork(t, store, parent, 2, 5, func(s *schema.Spec) { s.Kappa, s.Steps = 3, 150 }))
	if d := cmp.Diff(theirs.Iterations[:2], child.Iterations[:2]); d != "" {
		t.Errorf("before the fork (-parent +fork):\n%s", d)
	}
	if child.Steps != 2*400+3*150 || child.Iterations[4].Steps != child.Steps {
		t.Errorf("%d steps", child.Steps)
	}
	sum := int64(0)
	for k, it := range child.Iterations {
		if sum += *it.NewStates; sum != *it.Covered {
			t.Errorf("iteration %d: %d new states so far, covered %d", k, sum, *it.Covered)
		}
	}
	if slices.Equal(theirs.First, child.First) {
		t.Error("the fork visited the same states at the same times")
	}
}

// TestExplorationOfPrunedRuns: the measures need the transitions, and the error names the iteration that lacks some.
// Without pruned options, which are reported, all measures that follow from the transitions remain. A measure of
// options that is asked for by name needs the options.
func TestExplorationOfPrunedRuns(t *testing.T) {
	whole, run := perform(t, replay.Job{Spec: small(), Target: 4})
	for name, keep := range keepings {
		store := copyStore(t, whole.Path())
		prune(t, store, run, keep)
		err := store.View(t.Context(), func(tx *tracker.Tx) error {
			_, err := explore.ReadRun(tx.View, run)
			return err
		})
		lacks := !slices.Contains(keep.Kinds, schema.KindTransitions)
		if lacks != errors.Is(err, tracker.ErrPruned) || lacks && !strings.Contains(err.Error(), "iteration 0: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	store := copyStore(t, whole.Path())
	prune(t, store, run, keeping{Kinds: []schema.Kind{schema.KindTransitions, schema.KindOption}})
	want := explored(t, whole, run)
	if d := cmp.Diff(want, explored(t, store, run)); d != "" {
		t.Errorf("with transitions and options alone:\n%s", d)
	}
	prune(t, store, run, keeping{Kinds: []schema.Kind{schema.KindTransitions}})
	checkPrunedOptions(t, store, run, *want)
	want.HasOptions = false
	for k := range want.Iterations {
		want.Iterations[k].Options = nil
	}
	view(t, store, func(tx *tracker.Tx) error {
		got, err := explore.ReadVisits(tx.View, run)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("visits, with transitions alone:\n%s", d)
		}
		return err
	})
}

// checkPrunedOptions checks what is read of a run without options, against that of the whole run.
func checkPrunedOptions(t *testing.T, store *tracker.Store, run tracker.Run, want explore.Summary) {
	t.Helper()
	got := explored(t, store, run)
	if !errors.Is(got.Pruned, tracker.ErrPruned) || !strings.Contains(got.Pruned.Error(), "iteration 0: ") {
		t.Errorf("pruned options: %v", got.Pruned)
	}
	want.Pruned, want.Iterations = got.Pruned, slices.Clone(want.Iterations)
	for k := range want.Iterations {
		want.Iterations[k].OptionsPruned, want.Iterations[k].Options = want.Iterations[k].Options != nil, nil
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("with transitions alone: %+v, want %+v", *got, want)
	}
	view(t, store, func(tx *tracker.Tx) error {
		r, err := report.Summarise(tx, run)
		if err != nil {
			return err
		}
		for _, name := range explore.MeasureNames() {
			_, err := report.LoadExploration(tx.View, r.Source, name)
			if explore.NeedsOptions(name) != errors.Is(err, tracker.ErrPruned) {
				t.Errorf("%s without options: %v", name, err)
			}
		}
		return nil
	})
}

// TestExplorationOfImports: imported rows have no states; an imported walk has.
func TestExplorationOfImports(t *testing.T) {
	store, run := perform(t, plainD(t, walkRun(t, "as-written")))
	r := explored(t, store, run)
	for _, name := range explore.MeasureNames() {
		if x, known := r.Get(name, 0); x != nil || !known {
			t.Errorf("%s of rows is %v", name, *x)
		}
	}
	if r.States != nil || r.Covered != nil || len(r.First) > 0 || len(r.Iterations) == 0 {
		t.Errorf("of rows: %+v", r)
	}
	store, run = perform(t, ownWalk(t, walkRun(t, "as-written"), 0, 3))
	if r := explored(t, store, run); r.Covered == nil || *r.Covered != int64(len(r.First)) || r.First[0].Steps != 0 {
		t.Errorf("of a walk: %+v", r)
	}
}

// TestExplorationElsewhere: the number of states of an environment that is only observed is not known,
// but all of those that were observed were visited.
func TestExplorationElsewhere(t *testing.T) {
	for _, learner := range []schema.Learner{schema.Empirical, schema.LSPI} {
		world, store := elsewhere{cells: 30, clocks: 1}, newStore(t, tracker.Options{})
		out, _ := runStopped(t, world, store, replay.Job{Spec: world.spec(learner), Target: 3}, 0)
		ok(t, out.Err)
		run := runOf(t, store, out.Run)
		r, made := explored(t, store, run), false
		if r.States != nil || r.StepsToHalf != nil || r.Iterations[2].CoveredShare != nil ||
			r.Iterations[2].EntropyNormalised != nil {
			t.Errorf("%s: the number of states is known: %+v", learner, r)
		}
		for k, it := range r.Iterations {
			states := int64(0)
			view(t, store, func(tx *tracker.Tx) error {
				for _, name := range iterationsOf(t, store, run.ID)[k].RecordsOf(schema.KindObservations) {
					o, err := tracker.Load(tx, name, schema.DecodeObservations)
					if err != nil {
						return err
					}
					states = int64(o.First) + int64(o.Len())
				}
				return nil
			})
			if *it.Covered != states || *it.Entropy <= 0 {
				t.Errorf("%s, iteration %d: covered %d of %d observations, entropy %v", learner, k, *it.Covered, states,
					*it.Entropy)
			}
			made = made || it.Options != nil
		}
		if !made {
			t.Errorf("%s made no options", learner)
		}
	}
}

// TestExplorationShared: the states that two runs both covered are those in both sets of observations, whichever run
// comes first, and even if each run numbers its states in the order of its visits.
func TestExplorationShared(t *testing.T) {
	world := elsewhere{cells: 30, clocks: 1}
	elsewhereSpec := world.spec(schema.Empirical)
	for name, spec := range map[string]schema.Spec{"ring": small(), "elsewhere": elsewhereSpec} {
		store := newStore(t, tracker.Options{})
		var runs []*diff.Side
		for seed := range uint64(2) {
			spec.Seed = seed
			out, _ := runStopped(t, world, store, replay.Job{Spec: spec, Target: 3}, 0)
			ok(t, out.Err)
			r, err := diff.Open(t.Context(), store, out.Run.String())
			ok(t, err)
			runs = append(runs, r)
		}
		there, err := diff.CompareExploration(t.Context(), runs[0], runs[1])
		ok(t, err)
		back, err := diff.CompareExploration(t.Context(), runs[1], runs[0])
		ok(t, err)
		if d := cmp.Diff(there.Shared, back.Shared); d != "" || len(there.Shared) != 3 {
			t.Errorf("%s: exchanged (-there +back):\n%s", name, d)
		}
		phi := make([]float64, len(runs[0].Env.Features()))
		covered := func(r *diff.Side, x *explore.Summary, k int) map[string]bool {
			set := map[string]bool{}
			for _, f := range x.First[:*x.Iterations[k].Covered] {
				r.Env.Observe(f.State, phi)
				set[fmt.Sprint(phi)] = true
			}
			return set
		}
		for k, got := range there.Shared {
			a, b, both := covered(runs[0], there.A, k), covered(runs[1], there.B, k), 0
			for s := range a {
				if b[s] {
					both++
				}
			}
			overlap := float64(both) / float64(len(a)+len(b)-both)
			if got.States != int64(both) || *got.Overlap != overlap {
				t.Errorf("%s, iteration %d: %d states, overlap %v; want %d, %v", name, k, got.States, *got.Overlap, both,
					overlap)
			}
		}
		same, err := diff.CompareExploration(t.Context(), runs[0], runs[0])
		ok(t, err)
		if *same.Shared[2].Overlap != 1 {
			t.Errorf("%s: a run shares %v of what it covered with itself", name, *same.Shared[2].Overlap)
		}
	}
}

// TestExplorationMeasures: each measure has a title and a value of its own name, and steps to a share
// are those of the run from the iteration on in which it was reached.
func TestExplorationMeasures(t *testing.T) {
	spec := small()
	spec.Env.Params["bits"] = 6
	store, run := perform(t, replay.Job{Spec: spec, Target: 3})
	r, titles := explored(t, store, run), map[string]bool{}
	for _, name := range explore.MeasureNames() {
		title, _ := report.MeasureTitle(name)
		if _, recorded := (schema.Measures{}).Get(name); title == "" || titles[title] || recorded {
			t.Errorf("%s: title %q", name, title)
		}
		titles[title] = true
		if x, _ := r.Get(name, 99); x != nil {
			t.Errorf("%s of an iteration that is not there: %v", name, *x)
		}
	}
	if _, known := r.Get("nothing", 0); known {
		t.Error("a measure of no name")
	}
	if x, _ := r.Get("new_states", 1); *x != float64(*r.Iterations[1].NewStates) {
		t.Errorf("new states %v", *x)
	}
	if r.StepsToHalf == nil {
		t.Fatal("400 steps in 64 states do not cover half of them")
	}
	for k, it := range r.Iterations {
		x, _ := r.Get("steps_to_half", k)
		if reached := *r.StepsToHalf <= it.Steps; reached != (x != nil) {
			t.Errorf("iteration %d: steps to half %v", k, x)
		}
	}
}
