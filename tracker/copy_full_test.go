package tracker

import (
	"strings"
	"testing"
)

// TestCopyOfAFullRun: what is said of a run may fill a transaction but for a byte,
// and is refused where it leaves no room for a record: there would be no end of it.
func TestCopyOfAFullRun(t *testing.T) {
	for left, want := range map[int]string{1: "2 new", 0: "1 new, 1 refused"} {
		from, id := forged(t, func(t *testing.T, v victim) { saySoMuch(t, v, maxStaged-left) })
		to := empty(t, from)
		equal(t, "outcomes", outcomes(copied(t, from, to)), want)
		equal(t, "unused records", orphans(t, to), 0)
		if left == 0 {
			checkNothingOf(t, to, id)
		}
	}
}

// saySoMuch fills rows of a run with so many bytes: most in sessions, the rest in
// its note.
func saySoMuch(t *testing.T, v victim, size int) {
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
	v.say(t, func(a *Annotation) { a.Note = strings.Repeat("n", some) })
	v.say(t, func(a *Annotation) { a.Note += strings.Repeat("n", missing()) })
	equal(t, "missing", missing(), 0)
}
