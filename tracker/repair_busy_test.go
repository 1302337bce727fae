package tracker

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// TestRepairBesideConstantCommits: a repair ends while others commit all the while, and takes over
// only few rows while they wait.
func TestRepairBesideConstantCommits(t *testing.T) {
	t.Parallel()
	skipUnlessReplaceable(t)
	s := newStoreOfTinyRuns(t, 2000, 3)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return tx.rows.Bucket(rows.BucketIterations).Put(rows.PartKey(runID(t, 7), 1), []byte("damaged row"))
	}))
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	commits := make([]int, 2)
	for i := range commits {
		others.Go(func() {
			other, w := secondStore(s), (*Writer)(nil)
			for seed := uint64(10_000 * (i + 1)); ctx.Err() == nil; seed++ {
				w = other.StartWriter(context.Background())
				r, _, err := w.Acquire(context.Background(), Claim{Spec: spec(seed), Target: 1})
				if err != nil {
					t.Errorf("run %d: %v", seed, err)
					return
				}
				name, err := r.Put(binary.BigEndian.AppendUint64(nil, seed))
				if err == nil {
					err = r.SealIteration(0, schema.Iteration{Link: name, Records: entries(name)}, Cost{})
				}
				if err == nil {
					err = w.Close(context.Background())
				}
				if err != nil {
					t.Errorf("run %d: %v", seed, err)
					return
				}
				commits[i]++
			}
		})
	}
	r, err := s.BeginRepair(t.Context())
	ok(t, err)
	defer r.Close()
	ok(t, r.NewStore.Update(t.Context(), func(tx *Tx) error {
		for _, g := range r.TakeGaps() {
			ok(t, tx.RestoreIterations(g))
		}
		return nil
	}))
	_, err = r.Replace(t.Context(), nil)
	stop()
	others.Wait()
	ok(t, err)
	t.Logf("%d and %d commits meanwhile; others were locked out for %v, for %d rows", commits[0], commits[1],
		r.held.Round(time.Millisecond), r.heldRows)
	if r.heldRows > 2*maxLastRows {
		t.Errorf("%d rows were taken over while others waited", r.heldRows)
	}
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		for i, n := range commits {
			for j := range n {
				name := schema.Name(binary.BigEndian.AppendUint64(nil, uint64(10_000*(i+1)+j)))
				if _, err := tx.ReadRecord(name); err != nil {
					t.Errorf("run %d: %v", 10_000*(i+1)+j, err)
				}
			}
		}
		return nil
	}))
}

// TestWriterContinuesInARepairedStore: a living process keeps its lease, and what it has saved.
func TestWriterContinuesInARepairedStore(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, _ := newStoreWithRun(t, "first")
	w := closeAtEnd(t, secondStore(s).StartWriter(t.Context()))
	r, _ := acquire(t, w, 2, 4)
	var names []schema.Digest
	save := func() {
		names = append(names, iterate(t, r, len(names), fmt.Sprint("record ", len(names))))
		ok(t, w.Flush(t.Context()))
	}
	save()
	one := runID(t, 1)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return tx.rows.Bucket(rows.BucketAnnotations).Put(one[:], []byte("damaged row"))
	}))
	repair, err := s.BeginRepair(t.Context())
	ok(t, err)
	defer repair.Close()
	save()
	ok(t, repair.follow(t.Context(), nil))
	save()
	_, err = repair.replaceFollowed(t.Context())
	ok(t, err)
	equal(t, "changes under the lock", repair.heldRows > 0, true)
	save()
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		its, err := tx.ReadIterations(runID(t, 2))
		ok(t, err)
		equal(t, "iterations", len(its), 4)
		for _, name := range names {
			if _, err := tx.ReadRecord(name); err != nil {
				return err
			}
		}
		return nil
	}))
}
