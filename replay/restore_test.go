package replay_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// lose takes records out of a store, or damages what is stored of them.
func lose(t *testing.T, store *tracker.Store, random *rand.Rand, names ...schema.Digest) {
	t.Helper()
	db, err := bbolt.Open(store.Path(), 0o600, nil)
	ok(t, err)
	defer func() { ok(t, db.Close()) }()
	ok(t, db.Update(func(tx *bbolt.Tx) error {
		records, digests := tx.Bucket([]byte("records")), tx.Bucket([]byte("digests"))
		for _, name := range names {
			seq := slices.Clone(digests.Get(name[:]))
			switch random.IntN(3) {
			case 0:
				ok(t, records.Delete(seq))
				ok(t, digests.Delete(name[:]))
			case 1:
				ok(t, records.Delete(seq))
			case 2:
				stored := slices.Clone(records.Get(seq))
				stored[random.IntN(len(stored))] ^= 1 << random.IntN(8)
				ok(t, records.Put(seq, stored))
			}
		}
		return nil
	}))
}

// spoilRow flips a bit of a row.
func spoilRow(t *testing.T, store *tracker.Store, bucket string, key []byte) {
	t.Helper()
	db, err := bbolt.Open(store.Path(), 0o600, nil)
	ok(t, err)
	defer func() { ok(t, db.Close()) }()
	ok(t, db.Update(func(tx *bbolt.Tx) error {
		row := slices.Clone(tx.Bucket([]byte(bucket)).Get(key))
		row[len(row)/2] ^= 1
		return tx.Bucket([]byte(bucket)).Put(key, row)
	}))
}

func namesOf(its []schema.Iteration) (names []schema.Digest) {
	for _, it := range its {
		for _, e := range it.Records {
			if !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

func everything(error) bool { return true }

// TestRestore drops some or all records of runs, of forks and of imported runs, and restores them by computing them
// again, with the same digests.
func TestRestore(t *testing.T) {
	for _, reading := range schema.Readings() {
		t.Run(reading, func(t *testing.T) {
			spec := small()
			ok(t, spec.SetReading(reading))
			store, run := perform(t, replay.Job{Spec: spec, Target: 4})
			forked := fork(t, store, run, 2, 5, kappa(3))
			random := rand.New(rand.NewPCG(7, 11))
			for round := range 12 {
				copied := copyStore(t, store.Path())
				victim := []tracker.Run{run, forked}[round%2]
				names := namesOf(iterationsOf(t, copied, victim.ID))
				random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				if round > 1 {
					names = names[:1+random.IntN(len(names))]
				}
				lose(t, copied, random, names...)
				restored, err := replay.Restore(context.Background(), copied, victim, everything, replay.Options{})
				ok(t, err)
				if len(restored.Lost) > 0 || len(restored.Recomputed) > len(names) || len(restored.Recomputed) == 0 {
					t.Fatalf("round %d: %d of %d records are back, lost: %v", round, len(restored.Recomputed),
						len(names), restored.Lost)
				}
				for _, judged := range judge(t, copied, victim, replay.Scope{}).Iterations {
					if !judged.Identical {
						t.Fatalf("round %d: iteration %d: %+v", round, judged.K, judged.Stages)
					}
				}
			}
		})
	}
}

// TestRestoreWanted restores only the wanted records, although others have to be computed for them.
func TestRestoreWanted(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	its := iterationsOf(t, store, run.ID)
	pruned := prune(t, store, run, keeping{})
	wanted := its[2].RecordsOf(schema.KindMeasures)[0]
	lose(t, store, rand.New(rand.NewPCG(1, 1)), wanted)
	restored, err := replay.Restore(context.Background(), store, run, func(why error) bool {
		return !errors.Is(why, tracker.ErrPruned)
	}, replay.Options{})
	ok(t, err)
	if len(restored.Recomputed) != 1 || restored.Recomputed[0].Digest != wanted || len(restored.Lost) > 0 {
		t.Fatalf("%+v", restored)
	}
	left := 0
	view(t, store, func(tx *tracker.Tx) error {
		for _, name := range namesOf(its) {
			if _, err := tx.ReadRecord(name); errors.Is(err, tracker.ErrPruned) {
				left++
			}
		}
		return nil
	})
	if left != pruned {
		t.Errorf("%d of %d pruned records are still pruned", left, pruned)
	}
}

// TestRestoreGiven: imported data cannot be computed; what follows from them can.
func TestRestoreGiven(t *testing.T) {
	r := walkRun(t, "as-written")
	store, run := perform(t, ownWalk(t, r, 0, 2))
	its := iterationsOf(t, store, run.ID)
	random := rand.New(rand.NewPCG(3, 5))
	lost := append(its[0].RecordsOf(schema.KindTransitions), its[0].RecordsOf(schema.KindOption)...)
	lose(t, store, random, lost...)
	restored, err := replay.Restore(context.Background(), store, run, everything, replay.Options{})
	ok(t, err)
	if len(restored.Lost) != 1 || restored.Lost[0].Kind != schema.KindTransitions ||
		len(restored.Recomputed) != len(lost)-1 {
		t.Fatalf("%d back, lost %+v", len(restored.Recomputed), restored.Lost)
	}
	if l := restored.Lost[0]; !l.Imported || !strings.Contains(l.Reason, "imported data") {
		t.Errorf("%+v", l)
	}
}

// TestRestoreForged: what is computed from a forged input is not what the chain names, and is not restored.
func TestRestoreForged(t *testing.T) {
	r := walkRun(t, "as-written")
	edit(t, r, 0, schema.KindFactors, 0, schema.DecodeFactors, func(f *schema.Factors) { f.V[0] *= 1.5 })
	store, run := r.write(t, nil)
	name := iterationsOf(t, store, run.ID)[0].RecordsOf(schema.KindOption)[0]
	lose(t, store, rand.New(rand.NewPCG(3, 5)), name)
	restored, err := replay.Restore(context.Background(), store, run, everything, replay.Options{})
	ok(t, err)
	if len(restored.Recomputed) != 0 || len(restored.Lost) != 1 || restored.Lost[0].Digest != name {
		t.Fatalf("%+v", restored)
	}
}
