package tracker_test

import (
	"context"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"go.etcd.io/bbolt"
)

// sound ends the test if a store is damaged, or has records that no row names.
func sound(t testing.TB, s *tracker.Store) {
	t.Helper()
	if found := Check(t, s, SelectAll); !found.Intact() || found.Unused > 0 {
		t.Fatalf("%q, %d unused", FormatDamages(found), found.Unused)
	}
}

// changeFile changes a store's file through bbolt.
func changeFile(t testing.TB, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	OK(t, err)
	OK(t, db.Update(fn))
	OK(t, db.Close())
}

// newStoreWithRowsBeside makes a store with a run of two iterations, and its session.
func newStoreWithRowsBeside(t testing.TB) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 2)
	w := groupcommit.Start(context.Background(), s)
	r, _ := Acquire(t, w, 1, 3)
	OK(t, r.EndSession(func(s *tracker.Session) { s.State, s.Signal = tracker.SessionSignal, "SIGHUP" }))
	OK(t, w.Close(context.Background()))
	return s, id
}

// newStoreOfEverything makes a store with a run that has rows in every bucket, and one that shares
// records with it.
func newStoreOfEverything(t testing.TB) (s *tracker.Store, id schema.Digest) {
	t.Helper()
	s, id = newStoreWithRowsBeside(t)
	Extend(t, s, 3, 3) // shares records with seed 1
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.SetName(id, "name-1"))
		OK(t, tx.SetNote(id, "note"))
		return tx.AddTag(id, "tag")
	}))
	PruneTo(t, s, tracker.Retention{Kinds: []schema.Kind{schema.KindOption}}, id)
	return s, id
}
