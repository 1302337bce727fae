package tracker

import (
	"testing"
	"time"
)

// TestWaitForAnExchangeIsNotLimited: the time during which the store is copied does not count as waiting for others,
// and is reported once.
func TestWaitForAnExchangeIsNotLimited(t *testing.T) {
	told := 0
	s := New("store.db", Options{Wait: time.Nanosecond, OnCopied: func(string) { told++ }})
	w := s.newLockWait()
	for range 3 {
		w.last = w.last.Add(-time.Hour)
		equal(t, "over while it is copied", w.isOver(true), false)
	}
	equal(t, "over then", w.isOver(false), true)
	equal(t, "told", told, 1)
}
