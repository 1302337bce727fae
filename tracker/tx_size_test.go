package tracker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// TestNobodyWaitsForItself: a process that holds the store's lock itself does not report the store
// as locked, however short its Wait is.
func TestNobodyWaitsForItself(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	hurried := New(s.path, Options{Wait: time.Millisecond})
	inside, written := make(chan struct{}), make(chan error)
	go func() {
		<-inside
		written <- hurried.Update(context.Background(), func(*Tx) error { return nil })
	}()
	ok(t, hurried.View(t.Context(), func(*Tx) error {
		close(inside)
		select {
		case err := <-written:
			return errors.Join(errors.New("it did not wait"), err)
		case <-time.After(20 * time.Millisecond): // much longer than it is to wait
			return nil
		}
	}))
	ok(t, <-written)
}

// TestUpdateEach changes each item once, in several transactions.
func TestUpdateEach(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	items := make([]int, 3*portion.Tx/RowCost)
	seen := map[*Tx]bool{}
	ok(t, UpdateEach(t.Context(), s, items, func(tx *Tx, _ int) error {
		seen[tx] = true
		items[0]++
		return nil
	}))
	equal(t, "items", items[0], len(items))
	if len(seen) < 2 {
		t.Error("it was one transaction")
	}
}
