package outlook_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// plannedKey is a run of a test's plans: they differ in κ and the seed.
type plannedKey struct {
	kappa float64
	seed  uint64
}

func (p plannedKey) spec() schema.Spec {
	spec := pod.PaperSpec()
	spec.Kappa, spec.Seed = p.kappa, p.seed
	return spec
}

// drawnPlans is what a test plans under each tag: how many iterations each run is to have.
type drawnPlans map[string]map[plannedKey]int

// drawPlans adds plans of few specs and small seeds to a store, some of which overlap or are the same.
func drawPlans(t *rapid.T, tx *tracker.Tx) drawnPlans {
	all := drawnPlans{}
	for range rapid.IntRange(0, 5).Draw(t, "plans") {
		p := &runset.Plan{Iterations: rapid.IntRange(1, 3).Draw(t, "iterations")}
		for _, kappa := range rapid.SliceOfNDistinct(rapid.IntRange(1, 3), 1, 3, rapid.ID[int]).Draw(t, "kappas") {
			p.Specs = append(p.Specs, plannedKey{float64(kappa), 0}.spec())
		}
		p.Seeds = runset.SeedSet(rapid.SliceOfN(rapid.Uint64Range(0, 9), 1, 6).Draw(t, "seeds")...)
		tag := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tag")
		if _, err := tx.AddPlan(p, tag, tracker.Planned{}); err != nil {
			t.Fatal(err)
		}
		if all[tag] == nil {
			all[tag] = map[plannedKey]int{}
		}
		for i := range p.Len() {
			k := plannedKey{p.At(i).Kappa, p.At(i).Seed}
			all[tag][k] = max(all[tag][k], p.Iterations)
		}
	}
	return all
}

// count describes the runs that pass, of which done has the iterations of those that exist and are complete.
func (d drawnPlans) count(done map[plannedKey]int, passes func(plannedKey) bool) (lines []string) {
	for _, tag := range slices.Sorted(maps.Keys(d)) {
		var planned, complete, made, wanted int
		for k, target := range d[tag] {
			if !passes(k) {
				continue
			}
			planned, wanted, made = planned+1, wanted+target, made+min(target, done[k])
			if done[k] >= target {
				complete++
			}
		}
		if planned > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d of %d complete, %d missing, %d of %d iterations", tag, complete, planned,
				planned-complete, made, wanted))
		}
	}
	return lines
}

// TestPlannedRunsCountOnce: for any plans under any tags, any of their runs made, and a filter of fields of the spec,
// exactly the runs of the union of each tag's plans are counted, which status, wait, resume, ls and the page print.
func TestPlannedRunsCountOnce(t *testing.T) {
	filters := map[string]func(plannedKey) bool{
		"":                     func(plannedKey) bool { return true },
		"kappa=2":              func(k plannedKey) bool { return k.kappa == 2 },
		"seed=2-5":             func(k plannedKey) bool { return k.seed >= 2 && k.seed <= 5 },
		"kappa!=1 seed>3":      func(k plannedKey) bool { return k.kappa != 1 && k.seed > 3 },
		"seed!=4 env=ring":     func(k plannedKey) bool { return k.seed != 4 },
		"kappa<3 seed=1,7,9-9": func(k plannedKey) bool { return k.kappa < 3 && slices.Contains([]uint64{1, 7, 9}, k.seed) },
	}
	rapid.Check(t, func(rt *rapid.T) {
		store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		must(store.Create(t.Context()))
		var planned drawnPlans
		must(store.Update(t.Context(), func(tx *tracker.Tx) error { planned = drawPlans(rt, tx); return nil }))
		done := map[plannedKey]int{}
		w := groupcommit.Start(t.Context(), store)
		for range rapid.IntRange(0, 12).Draw(rt, "runs") { // some of them are in no plan, some have a plan's tag
			k := plannedKey{float64(rapid.IntRange(1, 4).Draw(rt, "kappa")), rapid.Uint64Range(0, 11).Draw(rt, "seed")}
			if done[k] > 0 {
				continue
			}
			done[k] = rapid.IntRange(1, 3).Draw(rt, "made")
			run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: k.spec(), Target: done[k],
				Tags: rapid.SampledFrom([][]string{nil, {"a"}, {"b", "c"}}).Draw(rt, "tags")})
			must(err)
			for i := range done[k] {
				link := schema.Name(fmt.Append(nil, k, i))
				must(run.SealIteration(i, schema.Iteration{Link: link}, tracker.Cost{Stages: map[string]int64{}}))
			}
			run.Release(nil)
		}
		must(w.Close(t.Context()))
		for filter, passes := range filters {
			must(store.View(t.Context(), func(tx *tracker.Tx) error {
				s, err := outlook.TakeSnapshot(tx, strings.Fields(filter), time.Now())
				var got []string
				for _, p := range s.Progress {
					got = append(got, fmt.Sprintf("%s: %d of %d complete, %d missing, %d of %d iterations", p.Tag, p.Complete,
						p.Planned, p.Missing, p.Iterations, p.Target))
					if p.Done() != (p.Missing == 0) {
						rt.Errorf("%s: done is %v", got[len(got)-1], p.Done())
					}
				}
				slices.Sort(got)
				if want := planned.count(done, passes); !slices.Equal(got, want) {
					rt.Fatalf("%q:\n%q, want\n%q", filter, got, want)
				}
				return err
			}))
		}
	})
}
