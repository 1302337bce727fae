package merge_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/codec"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
)

func sealed(t testing.TB, from, to *tracker.Store) merge.Report {
	t.Helper()
	c, err := merge.Run(t.Context(), from, to, merge.Options{Sealed: true})
	OK(t, err)
	return c
}

// TestCopySealed: a sealed store is copied with the same result as any other.
func TestCopySealed(t *testing.T) {
	from, _ := NewStore(t)
	for seed := range uint64(5) {
		Extend(t, from, seed, int(seed))
	}
	to := NewEmptyStore(t, from)
	Equal(t, "outcomes", Outcomes(sealed(t, from, to)), "5 new")
	if diff := cmp.Diff(Content(t, from), Content(t, to)); diff != "" {
		t.Error(diff)
	}
	Equal(t, "outcomes again", Outcomes(sealed(t, from, to)), "5 present")
}

// TestCopySealedForgeries: a seal vouches only for the bytes of records. A malformed record or a
// wrong row is refused as always.
func TestCopySealedForgeries(t *testing.T) {
	for name, forge := range map[string]func(*testing.T, Victim){
		"an empty stored form": func(t *testing.T, v Victim) { v.Replace(t, 0, 0, nil) },
		"an unknown codec":     func(t *testing.T, v Victim) { v.Replace(t, 0, 0, []byte{9, 1, 1}) },
		"a record of 4 GiB": func(t *testing.T, v Victim) {
			v.Replace(t, 0, 0, []byte{codec.Zstd, 0x80, 0x80, 0x80, 0x80, 0x10, 0})
		},
		"a length that is another": func(t *testing.T, v Victim) { v.Replace(t, 0, 0, []byte{codec.Raw, 3, 1, 1}) },
		"no record": func(t *testing.T, v Victim) {
			_, err := v.Tx.Rows().DeleteRecord(v.Its[1].Records[0].Name)
			OK(t, err)
		},
		"an index into nothing": func(t *testing.T, v Victim) {
			OK(t, v.Tx.Rows().Remove(rows.BucketRecords,
				v.Tx.Rows().Bucket(rows.BucketDigests).Get(v.Its[1].Records[0].Name[:])))
		},
		"a wrong link": func(t *testing.T, v Victim) {
			v.Its[1].Link[0] ^= 1
			OK(t, v.Tx.Rows().PutIteration(v.ID, 1, v.Its[1]))
		},
		"a row of another run": func(t *testing.T, v Victim) {
			OK(t, rows.Write(v.Tx.Rows(), rows.BucketRuns, v.ID[:], RunRow{Number: 1, Spec: Spec(99)}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, id := NewForgedStore(t, forge)
			to := NewEmptyStore(t, from)
			Equal(t, "outcomes", Outcomes(sealed(t, from, to)), "1 new, 1 refused")
			checkNothingOf(t, to, id)
		})
	}
}

// TestCopySealedRecords: records under a wrong seal are copied, and readers detect them. Of a
// record under two kinds one is copied.
func TestCopySealedRecords(t *testing.T) {
	var name schema.Digest
	from, id := NewForgedStore(t, func(t *testing.T, v Victim) {
		name = v.Its[2].Records[0].Name
		stored, err := v.Tx.Rows().ReadStored(v.Its[1].Records[0].Name)
		OK(t, err)
		v.Replace(t, 2, 0, slices.Clone(stored))
		v.Its[2].Records[1] = schema.Entry{Kind: schema.KindTheta, Name: v.Its[0].Records[1].Name}
		v.Relink(t, 2)
	})
	to := NewEmptyStore(t, from)
	c := sealed(t, from, to)
	Equal(t, "outcomes", Outcomes(c), "2 new")
	Equal(t, "unused records", UnreferencedRecords(t, to), 0)
	Equal(t, "kept records", Check(t, to, check.Options{}).Records, c.Records)
	OK(t, to.View(t.Context(), func(tx *tracker.Tx) error {
		Equal(t, "run", tx.Rows().HasRun(id), true)
		_, err := tx.ReadRecord(name)
		WantErr(t, err, tracker.ErrDamaged)
		return nil
	}))
}
