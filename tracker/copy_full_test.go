package tracker

import (
	"strings"
	"testing"
)

// TestCopyOfAFullRun: the metadata of a run may fill a transaction except for one byte. It is
// refused if it leaves no room for a record, since the copy would never end.
func TestCopyOfAFullRun(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]string{1: "2 new", 0: "1 new, 1 refused"} {
		from, id := newForgedStore(t, func(t *testing.T, v victim) { fillMetadata(t, v, maxStaged-left) })
		to := newEmptyStore(t, from)
		equal(t, "outcomes", outcomes(copied(t, from, to)), want)
		equal(t, "unused records", unreferencedRecords(t, to), 0)
		if left == 0 {
			checkNothingOf(t, to, id)
		}
	}
}

// fillMetadata adds that many bytes of metadata to a run: most in sessions, the rest in its note.
func fillMetadata(t *testing.T, v victim, size int) {
	t.Helper()
	missing := func() int {
		s, _ := v.tx.readMetadata(v.id) // which says how much it is even if that is too much
		return size - int(s.size)
	}
	for missing() > maxRow {
		_, err := v.tx.putSession(v.id, -1, Session{Host: strings.Repeat("h", maxRow/2)})
		ok(t, err)
	}
	const some = 1 << 16 // from here on all lengths are written in four bytes
	v.annotate(t, func(a *Annotation) { a.Note = strings.Repeat("n", some) })
	v.annotate(t, func(a *Annotation) { a.Note += strings.Repeat("n", missing()) })
	equal(t, "missing", missing(), 0)
}
