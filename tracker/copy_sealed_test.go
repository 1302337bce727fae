package tracker

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
)

func sealed(t testing.TB, from, to *Store) CopyReport {
	t.Helper()
	c, err := Copy(t.Context(), from, to, CopyOptions{Sealed: true})
	ok(t, err)
	return c
}

// TestCopySealed: a sealed store is copied with the same result as any other.
func TestCopySealed(t *testing.T) {
	from, _ := newTestStore(t)
	for seed := range uint64(5) {
		extend(t, from, seed, int(seed))
	}
	to := newEmptyStore(t, from)
	equal(t, "outcomes", outcomes(sealed(t, from, to)), "5 new")
	if diff := cmp.Diff(content(t, from), content(t, to)); diff != "" {
		t.Error(diff)
	}
	equal(t, "outcomes again", outcomes(sealed(t, from, to)), "5 present")
}

// TestCopySealedForgeries: a seal vouches only for the bytes of records. A malformed record or a
// wrong row is refused as always.
func TestCopySealedForgeries(t *testing.T) {
	for name, forge := range map[string]func(*testing.T, victim){
		"an empty stored form": func(t *testing.T, v victim) { v.replace(t, 0, 0, nil) },
		"an unknown codec":     func(t *testing.T, v victim) { v.replace(t, 0, 0, []byte{9, 1, 1}) },
		"a record of 4 GiB": func(t *testing.T, v victim) {
			v.replace(t, 0, 0, []byte{codec.Zstd, 0x80, 0x80, 0x80, 0x80, 0x10, 0})
		},
		"a length that is another": func(t *testing.T, v victim) { v.replace(t, 0, 0, []byte{codec.Raw, 3, 1, 1}) },
		"no record": func(t *testing.T, v victim) {
			_, err := v.tx.deleteRecord(v.its[1].Records[0].Name)
			ok(t, err)
		},
		"an index into nothing": func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketRecords, v.tx.buckets[bucketDigests].Get(v.its[1].Records[0].Name[:])))
		},
		"a wrong link": func(t *testing.T, v victim) {
			v.its[1].Link[0] ^= 1
			ok(t, v.tx.putIteration(v.id, 1, v.its[1]))
		},
		"a row of another run": func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketRuns, v.id[:], runRow{Number: 1, Spec: spec(99)}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, id := newForgedStore(t, forge)
			to := newEmptyStore(t, from)
			equal(t, "outcomes", outcomes(sealed(t, from, to)), "1 new, 1 refused")
			checkNothingOf(t, to, id)
		})
	}
}

// TestCopySealedRecords: records under a wrong seal are copied, and readers detect them. Of a
// record under two kinds one is copied.
func TestCopySealedRecords(t *testing.T) {
	var name schema.Digest
	from, id := newForgedStore(t, func(t *testing.T, v victim) {
		name = v.its[2].Records[0].Name
		stored, err := v.tx.readStored(v.its[1].Records[0].Name)
		ok(t, err)
		v.replace(t, 2, 0, slices.Clone(stored))
		v.its[2].Records[1] = schema.Entry{Kind: schema.KindTheta, Name: v.its[0].Records[1].Name}
		v.relink(t, 2)
	})
	to := newEmptyStore(t, from)
	c := sealed(t, from, to)
	equal(t, "outcomes", outcomes(c), "2 new")
	equal(t, "unused records", unreferencedRecords(t, to), 0)
	equal(t, "kept records", checkStore(t, to, CheckOptions{}).Records, c.Records)
	ok(t, to.View(t.Context(), func(tx *Tx) error {
		equal(t, "run", tx.hasRun(id), true)
		_, err := tx.ReadRecord(name)
		wantErr(t, err, ErrDamaged)
		return nil
	}))
}
