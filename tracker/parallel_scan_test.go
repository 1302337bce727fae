package tracker_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// newStoreOfRuns makes a store of n runs without iterations, and returns their IDs, newest first.
func newStoreOfRuns(t *testing.T, n int) (*tracker.Store, []schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	var ids []schema.Digest
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for seed := range n {
			r, err := tx.CreateRun(tracker.Claim{Spec: Spec(uint64(seed))})
			OK(t, err)
			ids = append(ids, r.ID)
		}
		return nil
	}))
	slices.Reverse(ids)
	return s, ids
}

// seedOf reads a run's seed, and rows of other buckets.
func seedOf(tx *tracker.Tx, r tracker.Run) (uint64, error) {
	_, err1 := tx.ReadAnnotation(r.ID)
	_, _, err2 := tx.ReadHead(r.ID)
	return r.Spec.Seed, errors.Join(err1, err2)
}

// all wants every run.
func all[T any](read func(*tracker.Tx, tracker.Run) (T, error)) func(*tracker.Tx, tracker.Run) (T, bool, error) {
	return func(tx *tracker.Tx, r tracker.Run) (T, bool, error) {
		v, err := read(tx, r)
		return v, true, err
	}
}

// TestNewestWanted: only the wanted runs are returned, in order.
func TestNewestWanted(t *testing.T) {
	n := 2*portion.RunsPerWorker + 1
	s, _ := newStoreOfRuns(t, n)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		seeds, err := tracker.ScanNewest(tx, func(_ *tracker.Tx, r tracker.Run) (uint64, bool, error) {
			return r.Spec.Seed, r.Spec.Seed%100 == 7, nil
		})
		Equal(t, "wanted", fmt.Sprint(seeds), "[507 407 307 207 107 7]")
		return err
	}))
}

func TestNewest(t *testing.T) {
	for _, n := range []int{0, 1, portion.RunsPerWorker, 2*portion.RunsPerWorker + 1} {
		s, _ := newStoreOfRuns(t, n)
		look := func(tx *tracker.Tx) error {
			seeds, err := tracker.ScanNewest(tx, all(seedOf))
			Equal(t, "runs", len(seeds), n)
			for i, seed := range seeds {
				Equal(t, "seed", seed, uint64(n-1-i))
			}
			return err
		}
		OK(t, s.View(t.Context(), look))
		OK(t, s.Update(t.Context(), look))
	}
}

func TestNewestFrom(t *testing.T) {
	const n = 10
	s, _ := newStoreOfRuns(t, n)
	for _, c := range []struct{ offset, limit, want int }{{0, 3, 3}, {8, 3, 2}, {10, 3, 0}, {99, 3, 0}, {4, 0, 0},
		{0, 99, n}} {
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			read := 0
			countedSeedOf := func(tx *tracker.Tx, r tracker.Run) (uint64, error) {
				read++
				return seedOf(tx, r)
			}
			total, seeds, err := tracker.ScanNewestFrom(tx, c.offset, c.limit, countedSeedOf)
			Equal(t, "total", total, n)
			Equal(t, "runs read", read, c.want)
			Equal(t, "runs", len(seeds), c.want)
			for i, seed := range seeds {
				Equal(t, "seed", seed, uint64(n-1-c.offset-i))
			}
			return err
		}))
	}
}

// TestNewestFails: of several unreadable runs the newest is reported, whichever was read first, and
// a damaged number only after the runs above it.
func TestNewestFails(t *testing.T) {
	n := 2*portion.RunsPerWorker + 1
	s, ids := newStoreOfRuns(t, n)
	failing := func(bad ...schema.Digest) func(*tracker.Tx) error {
		return func(tx *tracker.Tx) error {
			_, err := tracker.ScanNewest(tx, func(_ *tracker.Tx, r tracker.Run) (int, bool, error) {
				if slices.Contains(bad, r.ID) {
					return 0, true, storeerr.Missing("run %s", r.ID)
				}
				return 0, true, nil
			})
			return err
		}
	}
	for _, at := range []int{0, 7, n - 1} {
		err := s.View(t.Context(), failing(ids[at:]...))
		WantErr(t, err, tracker.ErrMissing)
		Equal(t, "error", err.Error(), storeerr.Missing("run %s", ids[at]).Error())
	}
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.Rows().Bucket(rows.BucketOrder).Put(rows.NumberKey(uint64(n-10)), []byte("a number that is damaged"))
	}))
	err := s.View(t.Context(), failing())
	WantErr(t, err, tracker.ErrDamaged)
	Equal(t, "error", err.Error(), rows.DamagedError(rows.BucketOrder, rows.NumberKey(uint64(n-10))).Error())
	WantErr(t, s.View(t.Context(), failing(ids[3])), tracker.ErrMissing)
	WantErr(t, s.View(t.Context(), failing(ids[20])), tracker.ErrDamaged) // the runs beyond it are unknown
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.Rows().Remove(rows.BucketRuns, ids[5][:]) }))
	err = s.View(t.Context(), failing(ids[6]))
	Equal(t, "error", err.Error(), storeerr.Damaged("run %s has a number or a name, but does not exist",
		ids[5]).Error())
}

// TestNewestNumbersAgree: a damaged number that refers to another run is found, since that run has
// another number.
func TestNewestNumbersAgree(t *testing.T) {
	s, ids := newStoreOfRuns(t, 9)
	key := rows.NumberKey(4)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		other := bytes.Clone(tx.Rows().Bucket(rows.BucketOrder).Get(rows.NumberKey(7)))
		return tx.Rows().Bucket(rows.BucketOrder).Put(key, other)
	}))
	err := s.View(t.Context(), func(tx *tracker.Tx) error { _, err := tracker.ScanNewest(tx, all(seedOf)); return err })
	WantErr(t, err, tracker.ErrDamaged)
	Equal(t, "error", err.Error(), rows.DamagedError(rows.BucketOrder, key).Error())
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		_, _, err := tracker.ScanNewestFrom(tx, 0, 5, seedOf) // the runs above it
		return err
	}))
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		seeds, err := tracker.ScanSome(tx, append(ids[2:4], schema.Digest{1}, ids[0]), all(seedOf))
		Equal(t, "seeds", fmt.Sprint(seeds), "[8 6 5]")
		return err
	}))
}
