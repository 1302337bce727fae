package replay_test

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func allRuns(schema.Digest) bool { return true }

// TestRepairDamaged damages files at random places, as a disk does, and repairs
// them. Whatever is left of the runs must be what it was: the same heads, or
// fewer iterations where something is said to be lost.
func TestRepairDamaged(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	forked := fork(t, store, run, 2, 4, kappa(3))
	heads := map[schema.Digest]schema.Digest{}
	for _, r := range []tracker.Run{run, forked} {
		its := iterationsOf(t, store, r.ID)
		heads[r.ID] = its[len(its)-1].Link
	}
	sound := readFile(t, store.Path())
	random := rand.New(rand.NewPCG(5, 8))
	whole := 0
	const rounds = 60
	for round := range rounds {
		damaged := append([]byte(nil), sound...)
		for range 1 + round%5 {
			at, n := random.IntN(len(damaged)), 1+random.IntN(64)
			switch round % 6 {
			case 4: // whole pages
				at, n = at>>14<<14, 1<<14
			case 5: // both meta pages
				at, n = random.IntN(2)<<14, 128
			}
			for i := range min(n, len(damaged)-at) {
				damaged[at+i] = byte(random.Uint32())
			}
		}
		if repairs(t, damaged, heads, round) {
			whole++
		}
	}
	if whole < rounds*3/4 {
		t.Errorf("only %d of %d files were repaired", whole, rounds)
	}
	t.Logf("%d of %d files have all heads again", whole, rounds)
}

// repairs reports whether all heads are back.
func repairs(t *testing.T, file []byte, heads map[schema.Digest]schema.Digest, round int) bool {
	path := t.TempDir() + "/podtrack.db"
	ok(t, os.WriteFile(path, file, 0o600))
	rescue, err := tracker.New(path, tracker.Options{}).Rescue(context.Background())
	if err != nil {
		t.Logf("round %d: %v", round, err)
		return false
	}
	defer rescue.Close()
	repaired, err := replay.Repair(context.Background(), rescue, allRuns, nil)
	ok(t, err)
	whole := len(repaired) == len(heads)
	for _, r := range repaired {
		its := iterationsOf(t, rescue.New, r.Run)
		if r.Failed != "" || len(r.Lost) > 0 {
			t.Logf("round %d: run %.7s: %q, %d lost", round, r.Run, r.Failed, len(r.Lost))
			whole = false
			continue
		}
		if len(its) == 0 || its[len(its)-1].Link != heads[r.Run] {
			t.Logf("round %d: run %.7s has %d iterations; %+v", round, r.Run, len(its), rescue.Found)
			whole = false
		}
		judged := judge(t, rescue.New, runOf(t, rescue.New, r.Run), -1, nil)
		for _, it := range judged.Iterations {
			if !it.Identical {
				t.Fatalf("round %d: iteration %d: %+v", round, it.K, it.Stages)
			}
		}
	}
	_, err = rescue.Replace()
	ok(t, err)
	return whole
}
