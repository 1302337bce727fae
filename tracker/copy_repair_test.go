package tracker

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
)

// TestCopyHeals: records of the target that are damaged, missing or indexed at another's place are
// copied again, and the target is as it was.
func TestCopyHeals(t *testing.T) {
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "from.db"), 40, 2)
	to := newEmptyStore(t, from)
	copied(t, from, to)
	sound := content(t, to)

	var ids []schema.Digest
	ok(t, to.Update(t.Context(), func(tx *Tx) (err error) {
		ids, err = tx.listRunIDs()
		ok(t, err)
		for i, id := range ids[:27] {
			its, err := tx.ReadIterations(id)
			ok(t, err)
			name, other := its[0].Records[i%4].Name, its[0].Records[(i+1)%4].Name
			digests, records := tx.buckets[bucketDigests], tx.buckets[bucketRecords]
			place := digests.Get(name[:])
			switch i % 4 {
			case 0:
				ok(t, records.Put(place, unpacked([]byte("other bytes"))))
			case 1:
				ok(t, digests.Delete(name[:]))
			case 2:
				ok(t, records.Delete(place))
			case 3:
				ok(t, digests.Put(name[:], binary.BigEndian.AppendUint64(nil,
					binary.BigEndian.Uint64(digests.Get(other[:])))))
			}
		}
		return nil
	}))
	damaged := checkStore(t, to, CheckOptions{Size: 1 << 30})
	if damaged.Intact() {
		t.Fatal("nothing is damaged")
	}
	equal(t, "healed by a copy that is not to", copied(t, from, to).Healed, 0)

	c, err := Copy(t.Context(), from, to, CopyOptions{Heal: true})
	ok(t, err)
	equal(t, "outcomes", outcomes(c), "40 present")
	equal(t, "healed", c.Healed, 27)
	total := 0
	for _, r := range c.Runs {
		total += r.Healed
	}
	equal(t, "healed of all runs", total, 27)
	equal(t, "damages left", len(checkStore(t, to, CheckOptions{Size: 1 << 30}).Damaged), 0)
	healed := content(t, to)
	delete(sound, "rows of records") // who lost its place got another one
	delete(healed, "rows of records")
	if diff := cmp.Diff(sound, healed); diff != "" {
		t.Error(diff)
	}

	before := readFile(t, to.path)
	c, err = Copy(t.Context(), from, to, CopyOptions{Heal: true})
	ok(t, err)
	equal(t, "healed again", c.Healed, 0)
	if string(before) != string(readFile(t, to.path)) {
		t.Error("a copy of what is sound changed the file")
	}
}

// TestCopyHealsWithProvedRecords: a record that is damaged in both stores stays, and the run is
// refused.
func TestCopyHealsWithProvedRecords(t *testing.T) {
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "from.db"), 3, 2)
	to := newEmptyStore(t, from)
	copied(t, from, to)
	spoilFirst := func(s *Store) {
		ok(t, s.Update(t.Context(), func(tx *Tx) error {
			ids, err := tx.listRunIDs()
			ok(t, err)
			its, err := tx.ReadIterations(ids[0])
			ok(t, err)
			victim{tx, ids[0], its}.replace(t, 0, 1, unpacked([]byte("other bytes")))
			return nil
		}))
	}
	spoilFirst(from)
	spoilFirst(to)
	c, err := Copy(t.Context(), from, to, CopyOptions{Heal: true})
	ok(t, err)
	equal(t, "outcomes", outcomes(c), "1 refused, 2 present")
	equal(t, "healed", c.Healed, 0)
}
