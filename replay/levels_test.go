package replay_test

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// compareLevels compares the levels that a run has by its spec with those that a replay without programs found.
func compareLevels(t *testing.T, run tracker.Run, found replay.Verification) {
	t.Helper()
	for _, it := range found.Iterations {
		levels := stages.LevelsAt(run.SpecAt(it.K), it.K)
		if len(levels) != len(it.Stages) {
			t.Errorf("iteration %d: %d levels, and %d stages", it.K, len(levels), len(it.Stages))
			continue
		}
		for i, s := range it.Stages {
			if l := levels[i]; l.Stage != s.Stage || l.Level != s.Level {
				t.Errorf("iteration %d: %s %s by the spec, %s %s found", it.K, l.Stage, l.Level, s.Stage, s.Level)
			}
		}
	}
	n := len(found.Iterations)
	for _, level := range schema.Levels() {
		if count := stages.CountLevels(run, n)[level]; count != found.CountLevel(level) {
			t.Errorf("%d stages are %s by the spec, %d found", count, level, found.CountLevel(level))
		}
	}
	levels := stages.LevelsOf(run, n)
	if lowest := stages.LowestLevel(levels); found.CountLevel(lowest) == 0 {
		t.Errorf("the lowest level is %s, which no stage has", lowest)
	}
}

// TestGoldenLevels: in the golden store a replay without programs finds the levels that the specs have.
func TestGoldenLevels(t *testing.T) {
	found := map[schema.Level]int{}
	store := copyStore(t, goldenPath)
	for _, r := range selected(t, store) {
		j, err := replay.Verify(t.Context(), store, r.Source, replay.Scope{}, replay.Options{})
		ok(t, err)
		compareLevels(t, r.Source, j)
		found[r.ProofLevel]++
	}
	if found[schema.Recomputed] < 5 || found[schema.Claimed] == 0 {
		t.Errorf("runs by their lowest level: %v", found)
	}
}

// TestImportedLevels: imported data are verified to be those that the spec names, and no program recomputes them. What
// follows from them is recomputed, also in a fork.
func TestImportedLevels(t *testing.T) {
	r := walkRun(t, "as-written")
	store := newStore(t, tracker.Options{})
	run := runOf(t, store, runJobs(t, store, []replay.Job{ownWalk(t, r, 0, 3)}, 1)[0].Run)
	child := fork(t, store, run, 2, 3, kappa(2))
	for _, run := range []tracker.Run{run, child} {
		j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{})
		ok(t, err)
		compareLevels(t, run, j)
		if n := j.CountLevel(schema.Verified); n != 1 {
			t.Errorf("%d stages are verified", n)
		}
		want := stages.Level{Stage: stages.Collect, Level: schema.Verified, With: schema.Verified}
		if got := stages.LevelsOf(run, 3)[0]; got != want {
			t.Errorf("level %+v, want %+v", got, want)
		}
	}
}

// TestForkedLevels: the levels of a fork are those of its ancestor's iterations, and of its own once it has some.
func TestForkedLevels(t *testing.T) {
	spec, _ := serve(t, externalCases(t)["paper"]).declare(t)
	run := tracker.Run{Spec: externalCases(t)["paper"], Ancestors: []tracker.Ancestor{{Spec: spec, Until: 2}}}
	needs := func(n int) (of []string) {
		for _, l := range stages.LevelsOf(run, n) {
			of = append(of, l.Needs)
		}
		return of
	}
	if got := needs(2); !slices.Equal(got, []string{"", "method", "select", "learner", ""}) {
		t.Errorf("shared iterations need %q", got)
	}
	run.Spec, run.Ancestors[0].Spec = spec, run.Spec
	for n, want := range map[int]schema.Level{0: schema.Recomputed, 2: schema.Recomputed, 3: schema.Claimed} {
		if got := stages.LowestLevel(stages.LevelsOf(run, n)); got != want {
			t.Errorf("%d iterations are %s, want %s", n, got, want)
		}
	}
	if got := stages.CountLevels(run, 3); got[schema.Recomputed] != 5+5+2 || got[schema.Claimed] != 1 {
		t.Errorf("stages by level: %v", got)
	}
}

// TestDamageBeforeLevel: damaged transitions in an environment that is not here are damage, not a claim.
func TestDamageBeforeLevel(t *testing.T) {
	store := copyStore(t, goldenPath)
	for _, r := range selected(t, store) {
		if r.Spec.Env.External == nil {
			continue
		}
		spoil(t, store, damages["flipped"](iterationsOf(t, store, r.ID)[0].RecordsOf(schema.KindTransitions)[0]))
		j, err := replay.Verify(t.Context(), store, r.Source, replay.Scope{}, replay.Options{})
		ok(t, err)
		if s := j.Iterations[0].Stages[0]; s.Verdict != replay.Damaged || s.Level != "" {
			t.Errorf("the stage is %s, level %q: %s", s.Verdict, s.Level, s.Reason)
		}
		return
	}
	t.Fatal("no run in an environment of another process")
}
