package replay_test

import (
	"context"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
)

// TestSaveLevels: what replays found is saved, the higher levels stay, and what turns out damaged loses them.
func TestSaveLevels(t *testing.T) {
	spec, set := serve(t, externalCases(t)["paper"]).declare(t)
	store := newStore(t, tracker.Options{})
	with := replay.Options{Stages: set}
	run, its := readRunWithStages(t, store, runWith(t, store, replay.Job{Spec: spec, Target: 3}, with).Run)
	save := func(at int64, with replay.Options, want replay.SavedLevels) {
		t.Helper()
		j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, with)
		ok(t, err)
		got, err := replay.SaveLevels(t.Context(), store, []replay.Verification{j}, tracker.Proof{Time: at})
		ok(t, err)
		if got != want {
			t.Errorf("at %d: %+v, want %+v", at, got, want)
		}
	}
	wantTimes := func(want ...int64) {
		t.Helper()
		proofs := proofsOf(t, store, run)
		var got []int64
		for _, p := range proofs {
			got = append(got, p.Time)
		}
		if !slices.Equal(got, want) {
			t.Errorf("saved at %d, want %d", got, want)
		}
	}
	save(1, replay.Options{}, replay.SavedLevels{Saved: 3})
	save(2, with, replay.SavedLevels{Saved: 3})
	wantTimes(2, 2, 2)
	if level := proofsOf(t, store, run)[0].Levels[replay.StageSelect]; level != schema.Recomputed {
		t.Errorf("the selection is %s", level)
	}
	save(3, replay.Options{}, replay.SavedLevels{Higher: 3})
	wantTimes(2, 2, 2)
	save(4, with, replay.SavedLevels{Saved: 3})
	wantTimes(4, 4, 4)
	// The last iteration's measures, which nothing reads.
	spoil(t, store, damages["flipped"](its[2].RecordsOf(schema.KindMeasures)[0]))
	save(5, replay.Options{}, replay.SavedLevels{Higher: 2})
	wantTimes(4, 4)
}

func proofsOf(t testing.TB, store *tracker.Store, run tracker.Run) (proofs []tracker.IterationProof) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) (err error) {
		proofs, err = tx.ReadVerifiedProofs(run.ID)
		return err
	})
	return proofs
}

// TestSaveLevelsPartly: nothing is saved of a replay of a sample, or of stages whose inputs are damaged.
func TestSaveLevelsPartly(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	its := iterationsOf(t, store, run.ID)
	save := func(sample *replay.Sample) replay.SavedLevels {
		t.Helper()
		j, err := replay.Verify(t.Context(), store, run, replay.Scope{Sample: sample}, replay.Options{})
		ok(t, err)
		saved, err := replay.SaveLevels(t.Context(), store, []replay.Verification{j}, tracker.Proof{})
		ok(t, err)
		return saved
	}
	if got := save(&replay.Sample{N: 1, T: 1000}); got != (replay.SavedLevels{}) {
		t.Errorf("of a sample %+v", got)
	}
	spoil(t, store, damages["missing"](its[1].RecordsOf(schema.KindOption)[0]))
	if got := save(nil); got.Saved != 1 {
		t.Errorf("before and behind a damaged option %+v", got)
	}
}

// TestSaveLevelsOfMany: many iterations take several transactions. Those of a run that is gone are an error.
func TestSaveLevelsOfMany(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{})
	ok(t, err)
	saved, err := replay.SaveLevels(t.Context(), store, slices.Repeat([]replay.Verification{j}, 700), tracker.Proof{})
	if err != nil || saved.Saved != 2100 || len(proofsOf(t, store, run)) != 3 {
		t.Errorf("saved %+v, %v", saved, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.SaveLevels(ctx, store, []replay.Verification{j}, tracker.Proof{}); err == nil {
		t.Error("saved after an interruption")
	}
	j.Run[0] ^= 1
	if _, err := replay.SaveLevels(t.Context(), store, []replay.Verification{j}, tracker.Proof{}); err == nil {
		t.Error("saved levels of no run")
	}
}

// TestSaveLevelsInGoldenStore: a store takes what replays found of all kinds of runs, and stays sound.
func TestSaveLevelsInGoldenStore(t *testing.T) {
	store := copyStore(t, goldenPath)
	runs := selected(t, store)
	for _, r := range runs {
		j, err := replay.Verify(t.Context(), store, r.Source, replay.Scope{}, replay.Options{})
		ok(t, err)
		saved, err := replay.SaveLevels(t.Context(), store, []replay.Verification{j}, tracker.Proof{Host: "host"})
		ok(t, err)
		if n := len(proofsOf(t, store, r.Source)); n != r.Iterations || saved.Saved != n {
			t.Errorf("%s has saved levels of %d iterations of %d", r.Name, n, r.Iterations)
		}
	}
	found, err := check.Run(t.Context(), store, check.Options{})
	ok(t, err)
	if len(found.Damaged) > 0 || found.Replayed != len(runs) {
		t.Errorf("%d of %d runs were replayed, damaged: %v", found.Replayed, len(runs), found.Damaged)
	}
}

// BenchmarkSaveLevels saves the levels of a thousand iterations.
func BenchmarkSaveLevels(b *testing.B) {
	store, run := perform(b, replay.Job{Spec: small(), Target: 10})
	j, err := replay.Verify(b.Context(), store, run, replay.Scope{}, replay.Options{})
	ok(b, err)
	for b.Loop() {
		_, err := replay.SaveLevels(b.Context(), store, slices.Repeat([]replay.Verification{j}, 100), tracker.Proof{})
		ok(b, err)
	}
}
