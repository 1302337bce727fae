package tracker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestLimits: a value at a limit is accepted, and one beyond it is refused.
func TestLimits(t *testing.T) {
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	update := func(f func(*tracker.Tx) error) error { return s.Update(t.Context(), f) }
	label := func(n int) string { return strings.Repeat("x", n) }
	name := func(n int) error { return update(func(tx *tracker.Tx) error { return tx.SetName(id, label(n)) }) }
	tag := func(n int) error { return update(func(tx *tracker.Tx) error { return tx.AddTag(id, label(n)) }) }
	resolve := func(digits int) error {
		return s.View(t.Context(), func(tx *tracker.Tx) error {
			found, err := tx.Resolve(id.String()[:digits])
			if err == nil && found.ID != id {
				err = fmt.Errorf("found %s", found.ID)
			}
			return err
		})
	}
	note := func(n int) error { return update(func(tx *tracker.Tx) error { return tx.SetNote(id, label(n)) }) }
	done := func(n int) error { return tracker.Run{Spec: Spec(1)}.Validate(n) }
	row := func(bucket string, n int) error {
		return update(func(tx *tracker.Tx) error {
			err := tx.Rows().Put(bucket, id[:], make([]byte, n-rows.SumSize))
			if err == nil {
				_, err = tx.Rows().Get(bucket, id[:])
			}
			return errors.Join(err, tx.Rows().Remove(bucket, id[:]))
		})
	}
	schematest.Limits{
		{"a name", "1 to 100 bytes", name(tracker.MaxLabel), name(tracker.MaxLabel + 1)},
		{"a tag", "1 to 100 bytes", tag(tracker.MaxLabel), tag(tracker.MaxLabel + 1)},
		{"no tag", "1 to 100 bytes", tag(1), tag(0)},
		{"digits of an ID", "at least 4 digits", resolve(4), resolve(3)},
		{"a note", "up to 524288 bytes", note(512 << 10), note(512<<10 + 1)},
		{"iterations of a run", "row of run", done(tracker.MaxIterations), done(tracker.MaxIterations + 1)},
		{"a row", "up to 1048576 bytes", row(rows.BucketNames, rows.MaxRow), row(rows.BucketNames, rows.MaxRow+1)},
		{"a row of lists", "up to 67108864 bytes", row(rows.BucketCheckpoints, rows.MaxListRow),
			row(rows.BucketCheckpoints, rows.MaxListRow+1)},
	}.Check(t)
}

// TestSpecAtABorder: an ancestor's spec holds before the iteration at which it ends, and the next one from there on.
func TestSpecAtABorder(t *testing.T) {
	run := tracker.Run{Spec: Spec(3), Ancestors: []tracker.Ancestor{{Spec: Spec(1), Until: 2}, {Spec: Spec(2), Until: 3}}}
	for k, seed := range []uint64{1, 1, 2, 3, 3} {
		Equal(t, fmt.Sprint("seed of iteration ", k), run.SpecAt(k).Seed, seed)
	}
}
