package merge_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/codec"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// impostor inserts a run without iterations and with any row.
func impostor(t *testing.T, tx *tracker.Tx, r tracker.Run) {
	t.Helper()
	var err error
	r.ID, err = schema.RunID(r.Spec, r.Start)
	OK(t, err)
	_, err = tx.InsertRun(r, tracker.Annotation{})
	OK(t, err)
}

func changedSpec(change func(*schema.Spec)) schema.Spec {
	s := Spec(77)
	change(&s)
	return s
}

// TestCopyOfForgeries: the copy names what is wrong in a forged store and copies nothing of that
// run, but all of the others.
func TestCopyOfForgeries(t *testing.T) {
	zeros := func(size uint64, n int) []byte {
		return append(binary.AppendUvarint([]byte{codec.Zstd}, size), make([]byte, n)...)
	}
	some := schema.Name([]byte("some"))
	cases := []struct {
		name  string
		forge func(*testing.T, victim)
		k     int    // the iteration that is named, −1 for none
		kind  string // of the record that is named
	}{
		{"another record under the name", func(t *testing.T, v victim) {
			stored, err := v.tx.Rows().ReadStored(v.its[1].Records[0].Name)
			OK(t, err)
			v.replace(t, 2, 0, slices.Clone(stored))
		}, 2, "value"},
		{"no record", func(t *testing.T, v victim) {
			_, err := v.tx.Rows().DeleteRecord(v.its[1].Records[0].Name)
			OK(t, err)
		}, 1, "value"},
		{"an index into nothing", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketRecords,
				v.tx.Rows().Bucket(rows.BucketDigests).Get(v.its[1].Records[0].Name[:])))
		}, 1, "value"},
		{"a record that claims 4 GiB", func(t *testing.T, v victim) {
			v.replace(t, 0, 0, zeros(codec.MaxRecord, 64))
		}, 0, "value"},
		{"a record that claims more", func(t *testing.T, v victim) {
			v.replace(t, 0, 0, zeros(math.MaxUint64, 64))
		}, 0, "value"},
		{"a record with something behind it", func(t *testing.T, v victim) {
			record, err := v.tx.ReadRecord(v.its[0].Records[0].Name)
			OK(t, err)
			enc, err := zstd.NewWriter(nil)
			OK(t, err)
			head := binary.AppendUvarint([]byte{codec.Zstd}, uint64(len(record)))
			skipped := append([]byte{0x50, 0x2a, 0x4d, 0x18, 100, 0, 0, 0}, make([]byte, 100)...) // RFC 8878 §3.1.2
			v.replace(t, 0, 0, append(enc.EncodeAll(record, head), skipped...))
		}, 0, "value"},
		{"an empty stored form", func(t *testing.T, v victim) { v.replace(t, 0, 0, nil) }, 0, "value"},
		{"an unknown codec", func(t *testing.T, v victim) { v.replace(t, 0, 0, []byte{9, 1, 1}) }, 0, "value"},
		{"a wrong link", func(t *testing.T, v victim) {
			v.its[1].Link[0] ^= 1
			OK(t, v.tx.Rows().PutIteration(v.id, 1, v.its[1]))
		}, 1, ""},
		{"a record listed too little", func(t *testing.T, v victim) {
			v.its[2].Records = v.its[2].Records[:1]
			OK(t, v.tx.Rows().PutIteration(v.id, 2, v.its[2]))
		}, 2, ""},
		{"an entry of a wrong kind", func(t *testing.T, v victim) {
			v.its[1].Records[1].Kind = schema.KindOption
			v.relink(t, 1)
		}, 1, "option"},
		{"an entry of no kind", func(t *testing.T, v victim) {
			v.its[1].Records[1].Kind = "purpose"
			v.relink(t, 1)
		}, 1, "purpose"},
		{"a record that is none", func(t *testing.T, v victim) {
			junk := []byte("junk")
			c, err := codec.New(1)
			OK(t, err)
			stored, err := c.Pack(junk)
			OK(t, err)
			OK(t, v.tx.Rows().AppendRecord(schema.Name(junk), stored))
			v.its[1].Records[1].Name = schema.Name(junk)
			v.relink(t, 1)
		}, 1, "value"},
		{"a gap", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketIterations, rows.PartKey(v.id, 1)))
		}, 1, ""},
		{"an iteration far away", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutIteration(v.id, tracker.MaxIterations-1, v.its[2]))
		}, 3, ""},
		{"an iteration beyond all", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutIteration(v.id, -1, v.its[2]))
		}, -1, ""},
		{"a damaged iteration", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketIterations).Put(rows.PartKey(v.id, 1), make([]byte, 100)))
		}, 1, ""},
		{"a damaged cost", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketCosts).Put(rows.PartKey(v.id, 1), []byte("cost")))
		}, 1, ""},
		{"a row of another run", func(t *testing.T, v victim) {
			OK(t, rows.Write(v.tx.Rows(), rows.BucketRuns, v.id[:], runRow{Number: 1, Spec: Spec(99)}))
		}, -1, ""},
		{"a row with ancestors", func(t *testing.T, v victim) {
			OK(t, rows.Write(v.tx.Rows(), rows.BucketRuns, v.id[:],
				runRow{Number: 1, Spec: Spec(1), Ancestors: []tracker.Ancestor{{Spec: Spec(2), Until: 1}}}))
		}, -1, ""},
		{"no row", func(t *testing.T, v victim) { OK(t, v.tx.Rows().Remove(rows.BucketRuns, v.id[:])) }, -1, ""},
		{"a name that is an ID", func(t *testing.T, v victim) {
			annotate(t, v,
				func(a *tracker.Annotation) { a.Name = "abcdef" })
		},
			-1, ""},
		{"a name that steers the terminal",
			func(t *testing.T, v victim) { annotate(t, v, func(a *tracker.Annotation) { a.Name = "x\x1b[2J" }) }, -1,
			""},
		{"a target below 0", func(t *testing.T, v victim) {
			annotate(t, v,
				func(a *tracker.Annotation) { a.Target = -1 })
		}, -1,
			""},
		{"a target beyond all", func(t *testing.T, v victim) {
			annotate(t, v, func(a *tracker.Annotation) { a.Target = tracker.MaxIterations + 1 })
		}, -1, ""},
		{"a tag with spaces", func(t *testing.T, v victim) {
			OK(t, rows.Write(v.tx.Rows(), rows.BucketTags, rows.TagKey(v.id, "a b"), rows.Tag{}))
		}, -1, ""},
		{"a damaged session", func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketSessions).Put(rows.PartKey(v.id, 1), []byte("s")))
		}, -1, ""},
		{"more sessions than fit", func(t *testing.T, v victim) {
			for range rows.MaxMetadata / (rows.MaxRow / 2) {
				AddSession(t, v.tx, v.id, tracker.Session{Host: string(make([]byte, rows.MaxRow/2))})
			}
		}, -1, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			from, id := newForgedStore(t, c.forge)
			to := NewEmptyStore(t, from)
			got := Merge(t, from, to)
			Equal(t, "outcomes", outcomes(got), "1 new, 1 refused")
			r := got.Runs[0]
			Equal(t, "run", r.Run, id)
			k, kind := -1, ""
			if r.Iteration != nil {
				k = *r.Iteration
			}
			if r.Record != nil {
				kind = string(r.Record.Kind)
			}
			Equal(t, "named", fmt.Sprintln(k, kind), fmt.Sprintln(c.k, c.kind))
			checkNothingOf(t, to, id)
		})
	}
	t.Run("the largest target", func(t *testing.T) {
		from, _ := newForgedStore(t, func(t *testing.T, v victim) {
			annotate(t, v, func(a *tracker.Annotation) { a.Target = tracker.MaxIterations })
		})
		Equal(t, "outcomes", outcomes(Merge(t, from, NewEmptyStore(t, from))), "2 new")
	})
	for name, r := range map[string]tracker.Run{
		"a spec that cannot be run": {Spec: changedSpec(func(s *schema.Spec) { s.Steps = 0 })},
		"a spec of another version": {Spec: changedSpec(func(s *schema.Spec) { s.Numerics = 9 })},
		"a spec with another zero":  {Spec: changedSpec(func(s *schema.Spec) { s.Kappa = math.Copysign(0, -1) })},
		"a fork of nothing":         {Spec: Spec(77), Start: &some},
		"a fork without what it shares": {Spec: Spec(77), Start: &some,
			Ancestors: []tracker.Ancestor{{Spec: Spec(78), Until: 2}}},
		"a fork whose ancestors run back": {Spec: Spec(77), Start: &some,
			Ancestors: []tracker.Ancestor{{Spec: Spec(78), Until: 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			from, _ := newForgedStore(t, func(t *testing.T, v victim) { impostor(t, v.tx, r) })
			Equal(t, "outcomes", outcomes(Merge(t, from, NewEmptyStore(t, from))), "1 refused, 2 new")
		})
	}
}

// TestCopyOfForgedOrder forges the list of runs itself.
func TestCopyOfForgedOrder(t *testing.T) {
	from, id := newForgedStore(t, func(t *testing.T, v victim) {
		OK(t, v.tx.Rows().PutRef(rows.BucketOrder, rows.NumberKey(7), v.id))
		OK(t, v.tx.Rows().PutRef(rows.BucketOrder, rows.NumberKey(8), schema.Digest{1}))
		OK(t, v.tx.Rows().Bucket(rows.BucketOrder).Put(rows.NumberKey(9), []byte("row")))
	})
	to := NewEmptyStore(t, from)
	Equal(t, "outcomes", outcomes(Merge(t, from, to)), "2 new, 2 refused")
	OK(t, to.View(t.Context(), func(tx *tracker.Tx) error {
		r, err := tx.ReadRun(id)
		Equal(t, "number", r.Number, 1)
		return err
	}))
}

// checkNothingOf fails if the store has a row of the run, or an unused record.
func checkNothingOf(t *testing.T, s *tracker.Store, id schema.Digest) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for _, bucket := range rows.RunBuckets {
			Equal(t, "rows of "+bucket, len(tx.Rows().Keys(bucket, id[:])), 0)
		}
		for key, row := range tx.Rows().WithPrefix(rows.BucketOrder, nil) {
			if run, err := rows.DecodeRef(rows.BucketOrder, key, row); err == nil && run == id {
				t.Errorf("run %s has number %x", id, key)
			}
		}
		return nil
	}))
	Equal(t, "unused records", UnreferencedRecords(t, s), 0)
}

// TestCopyOfAnotherHistory: if links differ, the target keeps its iteration, and the first
// differing record is named.
func TestCopyOfAnotherHistory(t *testing.T) {
	other := schema.Entry{Kind: schema.KindValue, Name: schema.Name(Encoded(t, schema.Value{1, 2, 3, 4}))}
	for name, c := range map[string]struct {
		forge func([]schema.Entry) []schema.Entry
		named int // the record, counted in the longer list
	}{
		"another record":  {func(l []schema.Entry) []schema.Entry { l[1] = other; return l }, 1},
		"one record less": {func(l []schema.Entry) []schema.Entry { return l[:2] }, 2},
		"one record more": {func(l []schema.Entry) []schema.Entry { return append(l, l[0]) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var theirs, ours []schema.Entry
			from, id := newForgedStore(t, func(t *testing.T, v victim) {
				ours = slices.Clone(v.its[1].Records)
				v.its[1].Records = c.forge(v.its[1].Records)
				theirs = v.its[1].Records
				v.relink(t, 1)
			})
			to := NewEmptyStore(t, from)
			Extend(t, to, 1, 2)
			before := Content(t, to)["run "+id.String()]
			got := Merge(t, from, to)
			Equal(t, "outcomes", outcomes(got), "1 differs, 1 new")
			Equal(t, "iteration", *got.Runs[0].Iteration, 1)
			longer := ours
			if len(theirs) > c.named {
				longer = theirs
			}
			Equal(t, "record", got.Runs[0].Record.Digest, longer[c.named].Name)
			Equal(t, "ours", Content(t, to)["run "+id.String()], before)
		})
	}
}
