package merge_test

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestCopyOfAFullRun: the metadata of a run may fill a transaction except for one byte. It is
// refused if it leaves no room for a record, since the copy would never end.
func TestCopyOfAFullRun(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]string{1: "2 new", 0: "1 new, 1 refused"} {
		from, id := newForgedStore(t, func(t *testing.T, v victim) { fillMetadata(t, v, rows.MaxMetadata-left) })
		to := NewEmptyStore(t, from)
		Equal(t, "outcomes", outcomes(Merge(t, from, to)), want)
		Equal(t, "unused records", UnreferencedRecords(t, to), 0)
		if left == 0 {
			checkNothingOf(t, to, id)
		}
	}
}

// fillMetadata adds that many bytes of metadata to a run: most in sessions, the rest in its note.
func fillMetadata(t *testing.T, v victim, size int) {
	t.Helper()
	missing := func() int {
		left := size - rows.RowBytes
		for _, bucket := range []string{rows.BucketRuns, rows.BucketAnnotations} {
			left -= len(v.tx.Rows().Bucket(bucket).Get(v.id[:]))
		}
		for _, bucket := range []string{rows.BucketTags, rows.BucketSessions} {
			for key, row := range v.tx.Rows().WithPrefix(bucket, v.id[:]) {
				left -= len(key) + len(row)
			}
		}
		return left
	}
	for missing() > rows.MaxRow {
		AddSession(t, v.tx, v.id, tracker.Session{Host: strings.Repeat("h", rows.MaxRow/2)})
	}
	const some = 1 << 16 // from here on all lengths are written in four bytes
	annotate(t, v, func(a *tracker.Annotation) { a.Note = strings.Repeat("n", some) })
	annotate(t, v, func(a *tracker.Annotation) { a.Note += strings.Repeat("n", missing()) })
	Equal(t, "missing", missing(), 0)
}
