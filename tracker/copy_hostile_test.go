package tracker

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
)

// victim is the store that a forger changes: a run of three iterations beside another one.
type victim struct {
	tx  *Tx
	id  schema.Digest
	its []schema.Iteration
}

// relink forges the run's iterations from k on with matching links.
func (v victim) relink(t *testing.T, k int) {
	t.Helper()
	link := v.id
	if k > 0 {
		link = v.its[k-1].Link
	}
	for ; k < len(v.its); k++ {
		var err error
		link, err = schema.Link(k, link, v.its[k].Records)
		ok(t, err)
		v.its[k].Link = link
		ok(t, v.tx.putIteration(v.id, k, v.its[k]))
	}
}

// replace stores other bytes as the i-th record of iteration k.
func (v victim) replace(t *testing.T, k, i int, stored []byte) {
	t.Helper()
	name := v.its[k].Records[i].Name
	ok(t, v.tx.putStored(v.tx.buckets[bucketDigests].Get(name[:]), stored))
}

// annotate changes the annotation.
func (v victim) annotate(t *testing.T, change func(*Annotation)) {
	t.Helper()
	ok(t, v.tx.updateAnnotation(v.id, change))
}

// impostor inserts a run without iterations and with any row.
func impostor(t *testing.T, tx *Tx, r Run) {
	t.Helper()
	var err error
	r.ID, err = schema.RunID(r.Spec, r.Start)
	ok(t, err)
	_, err = tx.insertRun(r, Annotation{})
	ok(t, err)
}

func changedSpec(change func(*schema.Spec)) schema.Spec {
	s := spec(77)
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
			stored, err := v.tx.readStored(v.its[1].Records[0].Name)
			ok(t, err)
			v.replace(t, 2, 0, slices.Clone(stored))
		}, 2, "value"},
		{"no record", func(t *testing.T, v victim) {
			_, err := v.tx.deleteRecord(v.its[1].Records[0].Name)
			ok(t, err)
		}, 1, "value"},
		{"an index into nothing", func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketRecords, v.tx.buckets[bucketDigests].Get(v.its[1].Records[0].Name[:])))
		}, 1, "value"},
		{"a record that claims 4 GiB", func(t *testing.T, v victim) {
			v.replace(t, 0, 0, zeros(codec.MaxRecord, 64))
		}, 0, "value"},
		{"a record that claims more", func(t *testing.T, v victim) {
			v.replace(t, 0, 0, zeros(math.MaxUint64, 64))
		}, 0, "value"},
		{"a record with something behind it", func(t *testing.T, v victim) {
			record, err := v.tx.ReadRecord(v.its[0].Records[0].Name)
			ok(t, err)
			enc, err := zstd.NewWriter(nil)
			ok(t, err)
			head := binary.AppendUvarint([]byte{codec.Zstd}, uint64(len(record)))
			skipped := append([]byte{0x50, 0x2a, 0x4d, 0x18, 100, 0, 0, 0}, make([]byte, 100)...) // RFC 8878 §3.1.2
			v.replace(t, 0, 0, append(enc.EncodeAll(record, head), skipped...))
		}, 0, "value"},
		{"an empty stored form", func(t *testing.T, v victim) { v.replace(t, 0, 0, nil) }, 0, "value"},
		{"an unknown codec", func(t *testing.T, v victim) { v.replace(t, 0, 0, []byte{9, 1, 1}) }, 0, "value"},
		{"a wrong link", func(t *testing.T, v victim) {
			v.its[1].Link[0] ^= 1
			ok(t, v.tx.putIteration(v.id, 1, v.its[1]))
		}, 1, ""},
		{"a record listed too little", func(t *testing.T, v victim) {
			v.its[2].Records = v.its[2].Records[:1]
			ok(t, v.tx.putIteration(v.id, 2, v.its[2]))
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
			c, err := v.tx.store.codec()
			ok(t, err)
			stored, err := c.Pack(junk)
			ok(t, err)
			ok(t, v.tx.appendRecord(schema.Name(junk), stored))
			v.its[1].Records[1].Name = schema.Name(junk)
			v.relink(t, 1)
		}, 1, "value"},
		{"a gap", func(t *testing.T, v victim) { ok(t, v.tx.removeRow(bucketIterations, partKey(v.id, 1))) }, 1, ""},
		{"an iteration far away", func(t *testing.T, v victim) {
			ok(t, v.tx.putIteration(v.id, MaxIterations-1, v.its[2]))
		}, 3, ""},
		{"an iteration beyond all", func(t *testing.T, v victim) {
			ok(t, v.tx.putIteration(v.id, -1, v.its[2]))
		}, -1, ""},
		{"a damaged iteration", func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketIterations].Put(partKey(v.id, 1), make([]byte, 100)))
		}, 1, ""},
		{"a damaged cost", func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketCosts].Put(partKey(v.id, 1), []byte("cost")))
		}, 1, ""},
		{"a row of another run", func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketRuns, v.id[:], runRow{Number: 1, Spec: spec(99)}))
		}, -1, ""},
		{"a row with ancestors", func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketRuns, v.id[:],
				runRow{Number: 1, Spec: spec(1), Ancestors: []Ancestor{{Spec: spec(2), Until: 1}}}))
		}, -1, ""},
		{"no row", func(t *testing.T, v victim) { ok(t, v.tx.removeRow(bucketRuns, v.id[:])) }, -1, ""},
		{"a name that is an ID", func(t *testing.T, v victim) {
			v.annotate(t,
				func(a *Annotation) { a.Name = "abcdef" })
		},
			-1, ""},
		{"a name that steers the terminal",
			func(t *testing.T, v victim) { v.annotate(t, func(a *Annotation) { a.Name = "x\x1b[2J" }) }, -1, ""},
		{"a target below 0", func(t *testing.T, v victim) { v.annotate(t, func(a *Annotation) { a.Target = -1 }) }, -1,
			""},
		{"a tag with spaces", func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketTags, tagKey(v.id, "a b"), tagRow{}))
		}, -1, ""},
		{"a damaged session", func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketSessions].Put(partKey(v.id, 1), []byte("s")))
		}, -1, ""},
		{"more sessions than fit", func(t *testing.T, v victim) {
			for range maxStaged / (maxRow / 2) {
				_, err := v.tx.putSession(v.id, -1, Session{Host: string(make([]byte, maxRow/2))})
				ok(t, err)
			}
		}, -1, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			from, id := newForgedStore(t, c.forge)
			to := newEmptyStore(t, from)
			got := copied(t, from, to)
			equal(t, "outcomes", outcomes(got), "1 new, 1 refused")
			r := got.Runs[0]
			equal(t, "run", r.Run, id)
			k, kind := -1, ""
			if r.Iteration != nil {
				k = *r.Iteration
			}
			if r.Record != nil {
				kind = string(r.Record.Kind)
			}
			equal(t, "named", fmt.Sprintln(k, kind), fmt.Sprintln(c.k, c.kind))
			checkNothingOf(t, to, id)
		})
	}
	for name, r := range map[string]Run{
		"a spec that cannot be run": {Spec: changedSpec(func(s *schema.Spec) { s.Steps = 0 })},
		"a spec of another version": {Spec: changedSpec(func(s *schema.Spec) { s.Numerics = 9 })},
		"a spec with another zero":  {Spec: changedSpec(func(s *schema.Spec) { s.Kappa = math.Copysign(0, -1) })},
		"a fork of nothing":         {Spec: spec(77), Start: &some},
		"a fork without what it shares": {Spec: spec(77), Start: &some,
			Ancestors: []Ancestor{{Spec: spec(78), Until: 2}}},
		"a fork whose ancestors run back": {Spec: spec(77), Start: &some,
			Ancestors: []Ancestor{{Spec: spec(78), Until: 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			from, _ := newForgedStore(t, func(t *testing.T, v victim) { impostor(t, v.tx, r) })
			equal(t, "outcomes", outcomes(copied(t, from, newEmptyStore(t, from))), "1 refused, 2 new")
		})
	}
}

// TestCopyOfForgedOrder forges the list of runs itself.
func TestCopyOfForgedOrder(t *testing.T) {
	from, id := newForgedStore(t, func(t *testing.T, v victim) {
		ok(t, writeRow(v.tx, bucketOrder, numberKey(7), runRef{Run: v.id}))
		ok(t, writeRow(v.tx, bucketOrder, numberKey(8), runRef{Run: schema.Digest{1}}))
		ok(t, v.tx.buckets[bucketOrder].Put(numberKey(9), []byte("row")))
	})
	to := newEmptyStore(t, from)
	equal(t, "outcomes", outcomes(copied(t, from, to)), "2 new, 2 refused")
	ok(t, to.View(t.Context(), func(tx *Tx) error {
		r, err := tx.ReadRun(id)
		equal(t, "number", r.Number, 1)
		return err
	}))
}

// newForgedStore makes a store with two runs, the first of which is tampered with.
func newForgedStore(t *testing.T, forge func(*testing.T, victim)) (*Store, schema.Digest) {
	t.Helper()
	s, _ := newTestStore(t)
	id := extend(t, s, 1, 3)
	extend(t, s, 2, 2) // of another parity: it shares one record with all
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		its, err := tx.ReadIterations(id)
		ok(t, err)
		forge(t, victim{tx, id, its})
		return nil
	}))
	return s, id
}

// checkNothingOf fails if there is a row of the run, or an unused record.
func checkNothingOf(t *testing.T, s *Store, id schema.Digest) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		for _, bucket := range runBuckets {
			equal(t, "rows of "+bucket, len(tx.copyKeys(bucket, id[:])), 0)
		}
		equal(t, "references", len(refsOf(tx, bucketOrder, map[schema.Digest]bool{id: true})), 0)
		return nil
	}))
	equal(t, "unused records", unreferencedRecords(t, s), 0)
}

// TestCopyOfAnotherHistory: if links differ, the target keeps its iteration, and the first
// differing record is named.
func TestCopyOfAnotherHistory(t *testing.T) {
	other := schema.Entry{Kind: schema.KindValue, Name: schema.Name(encoded(t, schema.Value{1, 2, 3, 4}))}
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
			to := newEmptyStore(t, from)
			extend(t, to, 1, 2)
			before := content(t, to)["run "+id.String()]
			got := copied(t, from, to)
			equal(t, "outcomes", outcomes(got), "1 differs, 1 new")
			equal(t, "iteration", *got.Runs[0].Iteration, 1)
			longer := ours
			if len(theirs) > c.named {
				longer = theirs
			}
			equal(t, "record", got.Runs[0].Record.Digest, longer[c.named].Name)
			equal(t, "ours", content(t, to)["run "+id.String()], before)
		})
	}
}
