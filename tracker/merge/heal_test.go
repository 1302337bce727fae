package merge_test

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestCopyHeals: records of the target that are damaged, missing or indexed at another's place are
// copied again, and the target is as it was.
func TestCopyHeals(t *testing.T) {
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "from.db"), 40, 2)
	to := NewEmptyStore(t, from)
	Merge(t, from, to)
	sound := Content(t, to)

	var ids []schema.Digest
	OK(t, to.Update(t.Context(), func(tx *tracker.Tx) (err error) {
		ids = listRunIDs(t, tx)
		for i, id := range ids[:27] {
			its, err := tx.ReadIterations(id)
			OK(t, err)
			name, other := its[0].Records[i%4].Name, its[0].Records[(i+1)%4].Name
			digests, records := tx.Rows().Bucket(rows.BucketDigests), tx.Rows().Bucket(rows.BucketRecords)
			place := digests.Get(name[:])
			switch i % 4 {
			case 0:
				OK(t, records.Put(place, Unpacked([]byte("other bytes"))))
			case 1:
				OK(t, digests.Delete(name[:]))
			case 2:
				OK(t, records.Delete(place))
			case 3:
				OK(t, digests.Put(name[:], binary.BigEndian.AppendUint64(nil,
					binary.BigEndian.Uint64(digests.Get(other[:])))))
			}
		}
		return nil
	}))
	damaged := Check(t, to, check.Options{Size: 1 << 30})
	if damaged.Intact() {
		t.Fatal("nothing is damaged")
	}
	Equal(t, "healed by a copy that is not to", Merge(t, from, to).Healed, 0)

	c, err := merge.Run(t.Context(), from, to, merge.Options{Heal: true})
	OK(t, err)
	Equal(t, "outcomes", outcomes(c), "40 present")
	Equal(t, "healed", c.Healed, 27)
	total := 0
	for _, r := range c.Runs {
		total += r.Healed
	}
	Equal(t, "healed of all runs", total, 27)
	Equal(t, "damages left", len(Check(t, to, check.Options{Size: 1 << 30}).Damaged), 0)
	healed := Content(t, to)
	delete(sound, "rows of records") // the record that lost its place got another one
	delete(healed, "rows of records")
	if diff := cmp.Diff(sound, healed); diff != "" {
		t.Error(diff)
	}

	before := ReadFile(t, to.Path())
	c, err = merge.Run(t.Context(), from, to, merge.Options{Heal: true})
	OK(t, err)
	Equal(t, "healed again", c.Healed, 0)
	if string(before) != string(ReadFile(t, to.Path())) {
		t.Error("a copy of what is sound changed the file")
	}
}

// TestCopyHealsWithProvedRecords: a record that is damaged in both stores stays, and the run is
// refused.
func TestCopyHealsWithProvedRecords(t *testing.T) {
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "from.db"), 3, 2)
	to := NewEmptyStore(t, from)
	Merge(t, from, to)
	spoilFirst := func(s *tracker.Store) {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			ids := listRunIDs(t, tx)
			its, err := tx.ReadIterations(ids[0])
			OK(t, err)
			victim{tx: tx, id: ids[0], its: its}.replace(t, 0, 1, Unpacked([]byte("other bytes")))
			return nil
		}))
	}
	spoilFirst(from)
	spoilFirst(to)
	c, err := merge.Run(t.Context(), from, to, merge.Options{Heal: true})
	OK(t, err)
	Equal(t, "outcomes", outcomes(c), "1 refused, 2 present")
	Equal(t, "healed", c.Healed, 0)
}

// listRunIDs returns the IDs of all runs, newest first.
func listRunIDs(t testing.TB, tx *tracker.Tx) (ids []schema.Digest) {
	for run, err := range tx.Runs() {
		OK(t, err)
		ids = append(ids, run.ID)
	}
	return ids
}
