package tracker

import (
	"os"
	"testing"
)

// TestRevision compares the revision before and after a commit, and after a copy of the earlier
// file has replaced the store's.
func TestRevision(t *testing.T) {
	s, _ := newTestStore(t)
	revision := func() (name string) {
		ok(t, s.View(t.Context(), func(tx *Tx) (err error) { name, err = tx.Revision(); return err }))
		return name
	}
	first := revision()
	if again := revision(); again != first {
		t.Errorf("%s, and %s though nothing was written", first, again)
	}
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(tx *Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	second := revision()
	if err := os.WriteFile(s.path, before, 0o666); err != nil {
		t.Fatal(err)
	}
	if third := revision(); first == second || second == third {
		t.Errorf("revisions %s, %s and %s of different states", first, second, third)
	}
}
