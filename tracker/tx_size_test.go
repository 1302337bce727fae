package tracker

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// TestPace follows the cost of transactions, within bounds.
func TestPace(t *testing.T) {
	var p txSizer
	equal(t, "at first", p.limit(), initialTxBytes)
	p.learn(initialTxBytes, targetHold/8)
	equal(t, "after a fast one", p.limit(), maxTxBytes)
	p.learn(minTxBytes/8, targetHold/100)
	equal(t, "after a small one", p.limit(), maxTxBytes)
	p.learn(maxTxBytes, 100*targetHold)
	equal(t, "after a slow one", p.limit(), minTxBytes)
}

// TestMergeNeverFillsItsTransactions merges more runs than one transaction may bring: rows
// count, however small they are.
func TestMergeNeverFillsItsTransactions(t *testing.T) {
	from := tinyRuns(t, filepath.Join(t.TempDir(), "many.db"), 1500, 2)
	to := empty(t, from)
	writes := 0
	to.onUnlock = func(write bool, _ time.Duration) {
		if write {
			writes++
		}
	}
	equal(t, "outcomes", outcomes(copied(t, from, to)), "1500 new")
	if least := 1500 * (runCost + 4*rowCost) / maxTxBytes; writes < least {
		t.Errorf("%d transactions, and not at least %d", writes, least)
	}
}

// TestNobodyWaitsForItself: a process that has the store itself does not give it up for
// locked, however short it is to wait.
func TestNobodyWaitsForItself(t *testing.T) {
	s, _, _ := filled(t, "record")
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

// TestUpdateEach does what is to be done to each item, in several transactions.
func TestUpdateEach(t *testing.T) {
	s, _, _ := filled(t, "record")
	items := make([]int, 3*initialTxBytes/rowCost)
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
