package excerpt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/memory"
)

// firstOf keeps the first record of each iteration.
func firstOf(_, i int, _ schema.Entry) bool { return i == 0 }

// all keeps every record.
func all(int, int, schema.Entry) bool { return true }

func written(t testing.TB, s *tracker.Store, id schema.Digest, keep Keep) []byte {
	t.Helper()
	var out bytes.Buffer
	storetest.OK(t, Write(t.Context(), &out, s, id, []byte("a note"), keep))
	return out.Bytes()
}

// readInto reads an excerpt into a new store.
func readInto(t testing.TB, stream []byte, o Options) (*tracker.Store, Contents, error) {
	t.Helper()
	s, _ := storetest.NewStore(t)
	c, err := Read(t.Context(), bytes.NewReader(stream), s, o)
	return s, c, err
}

// TestRoundTrip: an excerpt has a run's iterations and the records that are asked for, and the store that is made of it
// passes a check. An excerpt of that store is the same.
func TestRoundTrip(t *testing.T) {
	for name, keep := range map[string]Keep{"first": firstOf, "all": all} {
		t.Run(name, func(t *testing.T) {
			from, _ := storetest.NewStore(t)
			id := storetest.Extend(t, from, 1, 3)
			stream := written(t, from, id, keep)
			to, c, err := readInto(t, stream, Options{})
			storetest.OK(t, err)
			var want, got []schema.Iteration
			storetest.OK(t, from.View(t.Context(), func(tx *tracker.Tx) (err error) {
				want, err = tx.ReadIterations(id)
				return err
			}))
			kept, others := map[schema.Digest]bool{}, map[schema.Digest]bool{}
			storetest.OK(t, to.View(t.Context(), func(tx *tracker.Tx) (err error) {
				got, err = tx.ReadIterations(c.Run.ID)
				for k, it := range got {
					for i, e := range it.Records {
						if keep(k, i, e) && !tx.Rows().HasRecord(e.Name) || tx.Rows().HasRecord(e.Name) == tx.Rows().IsPruned(e.Name) {
							t.Errorf("iteration %d, record %d: there %v", k, i, tx.Rows().HasRecord(e.Name))
						}
						if keep(k, i, e) {
							kept[e.Name] = true
						} else {
							others[e.Name] = true
						}
					}
				}
				return err
			}))
			equal := slices.EqualFunc(want, got, func(a, b schema.Iteration) bool {
				return a.Link == b.Link && slices.Equal(a.Records, b.Records)
			})
			if !equal || c.Run.ID != id || string(c.Note) != "a note" || c.Head() != want[2].Link {
				t.Errorf("%+v", c)
			}
			if c.Records != len(kept) || c.Others != len(others) {
				t.Errorf("%d records and %d others, want %d and %d", c.Records, c.Others, len(kept), len(others))
			}
			if found := storetest.Check(t, to, check.Options{Read: check.SelectPart(1, 1)}); !found.Intact() {
				t.Error(storetest.FormatDamages(found))
			}
			if !bytes.Equal(written(t, to, id, keep), stream) {
				t.Error("another excerpt")
			}
		})
	}
}

// pack returns a stream of items.
func pack(t testing.TB, items ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := newItemWriter(&out)
	storetest.OK(t, err)
	for _, item := range items {
		storetest.OK(t, w.put(item))
	}
	storetest.OK(t, w.close())
	return out.Bytes()
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	data, err := wire.Marshal(v)
	storetest.OK(t, err)
	return data
}

// TestHostile: streams that no podtrack writes are refused as damage, and nothing large is allocated
// for what they claim.
func TestHostile(t *testing.T) {
	from, _ := storetest.NewStore(t)
	id := storetest.Extend(t, from, 1, 2)
	stream := written(t, from, id, firstOf)
	plain, err := unpacked(stream)
	storetest.OK(t, err)
	h := header{Version: version, Note: []byte{}, Spec: storetest.Spec(1), Ancestors: []tracker.Ancestor{}, Iterations: 1}
	head := func(change func(*header)) []byte {
		c := h
		change(&c)
		return encoded(t, c)
	}
	value := storetest.Encoded(t, schema.Value{1, 2})
	entry := schema.Entry{Kind: schema.KindValue, Name: schema.Name(value)}
	listing := func(kept ...int) []byte {
		return encoded(t, iterationItem{Records: []schema.Entry{entry}, Kept: append([]int{}, kept...)})
	}
	options := []schema.Entry{{Kind: schema.KindOption, Name: entry.Name}}
	wrongKind := encoded(t, iterationItem{Records: options, Kept: []int{0}})
	bomb := func() []byte {
		var out bytes.Buffer
		z, err := zstd.NewWriter(&out)
		storetest.OK(t, err)
		_, err = z.Write(append(binary.AppendUvarint(nil, MaxSize-1), make([]byte, 64<<20)...))
		storetest.OK(t, err)
		storetest.OK(t, z.Close())
		return out.Bytes()
	}
	for name, test := range map[string]struct {
		stream []byte
		want   string
	}{
		"empty":              {nil, "it ends too early"},
		"no zstd":            {[]byte("hello, hello"), "unpack it"},
		"truncated":          {stream[:len(stream)/2], ""},
		"no header":          {pack(t), "it ends too early"},
		"header of nothing":  {pack(t, nil), ""},
		"other version":      {pack(t, head(func(h *header) { h.Version = 9 })), "version 9"},
		"no iterations":      {pack(t, head(func(h *header) { h.Iterations = 0 })), "0 iterations"},
		"too many":           {pack(t, head(func(h *header) { h.Iterations = math.MaxInt32 + 1 })), ""},
		"fewer than claimed": {pack(t, head(func(h *header) { h.Iterations = 2 }), listing()), "it ends too early"},
		"not canonical":      {pack(t, append(head(func(*header) {}), 0)), ""},
		"fork without start": {pack(t, head(func(h *header) {
			h.Ancestors = []tracker.Ancestor{{Spec: h.Spec, Until: 1}}
		}), listing()), ""},
		"unsorted positions": {pack(t, head(func(*header) {}), listing(0, 0), value, value), "the list of its records"},
		"position outside":   {pack(t, head(func(*header) {}), listing(1)), "the list of its records"},
		"negative position":  {pack(t, head(func(*header) {}), listing(-1)), ""},
		"record missing":     {pack(t, head(func(*header) {}), listing(0)), "it ends too early"},
		"another record": {pack(t, head(func(*header) {}), listing(0), append(value[:len(value)-1:len(value)-1], 7)),
			"its digest does not match"},
		"another kind":    {pack(t, head(func(*header) {}), wrongKind, value), "is not of kind option"},
		"record too many": {pack(t, head(func(*header) {}), listing(0), value, value), "bytes follow"},
		"more bytes":      {append(slices.Clone(stream), "more"...), ""},
		"claims too much": {packPlain(t, binary.AppendUvarint(nil, MaxSize+1)), ErrTooLarge.Error()},
		"claims more":     {packPlain(t, binary.AppendUvarint(nil, 1<<60)), "the length of an item"},
		"long length":     {packPlain(t, []byte{0x81, 0, 0}), "the length of an item"},
		"claims the most": {packPlain(t, append(binary.AppendUvarint(nil, 1<<20), 1)), "it ends too early"},
		"bomb":            {bomb(), ""},
		"lists too much":  {listsTooMuch(t), errListsTooMuch.Error()},
		"many ancestors":  {pack(t, manyAncestors(t, head(func(*header) {}))), wire.ErrTruncated.Error()},
		"plain":           {plain, "unpack it"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := readInto(t, test.stream, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			refusals := []error{tracker.ErrDamaged, wire.ErrMalformed, schema.ErrSpec, memory.ErrNotEnough}
			if !slices.ContainsFunc(refusals, func(e error) bool { return errors.Is(err, e) }) {
				t.Errorf("%v is no damage", err)
			}
			storetest.OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
				for run := range tx.Runs() {
					t.Errorf("the store has run %s", run.ID)
				}
				return nil
			}))
		})
	}
	if _, _, err := readInto(t, pack(t, head(func(*header) {}), listing(0), value), Options{}); err != nil {
		t.Errorf("what the table changes is not valid: %v", err)
	}
}

// TestRefused: a run is refused before its records are read, and a record of the wrong shape too.
func TestRefused(t *testing.T) {
	from, _ := storetest.NewStore(t)
	stream := written(t, from, storetest.Extend(t, from, 1, 2), firstOf)
	refused := errors.New("refused")
	_, _, err := readInto(t, stream, Options{Validate: func(tracker.Run) error { return refused }})
	storetest.WantErr(t, err, refused)
	_, _, err = readInto(t, stream, Options{CheckShape: func(tracker.Run) tracker.ShapeCheck {
		return func(int, schema.Kind, schema.Shape) error { return refused }
	}})
	storetest.WantErr(t, err, tracker.ErrDamaged)
}

// listsTooMuch returns a stream that lists one record more often than an excerpt may.
func listsTooMuch(t *testing.T) []byte {
	t.Helper()
	const iterations, each = 16, MaxListed / 16 // with the iterations themselves that is too much
	entries := slices.Repeat([]schema.Entry{{Kind: schema.KindValue, Name: schema.Name(nil)}}, each)
	items := [][]byte{encoded(t, header{Version: version, Note: []byte{}, Spec: storetest.Spec(1),
		Ancestors: []tracker.Ancestor{}, Iterations: iterations})}
	item := encoded(t, iterationItem{Records: entries, Kept: []int{}})
	return pack(t, append(items, slices.Repeat([][]byte{item}, iterations)...)...)
}

// manyAncestors returns a header whose list of ancestors claims a million of them in as many bytes.
func manyAncestors(t *testing.T, head []byte) []byte {
	t.Helper()
	none := append(encoded(t, "ancestors"), 0x80)
	if !bytes.Contains(head, none) {
		t.Fatalf("no empty list of ancestors in %q", head)
	}
	many := append(encoded(t, "ancestors"), 0x9a, 0, 0x10, 0, 0) // an array of 2²⁰
	return bytes.Replace(head, none, append(many, bytes.Repeat([]byte{0xa0}, 1<<20)...), 1)
}

// TestCancelled: a reader hears its context before each iteration and each record.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := storetest.NewStore(t)
	h := header{Version: version, Note: []byte{}, Spec: storetest.Spec(1), Ancestors: []tracker.Ancestor{}, Iterations: 9}
	_, err := Read(ctx, bytes.NewReader(pack(t, encoded(t, h))), s, Options{Validate: func(tracker.Run) error {
		cancel()
		return nil
	}})
	storetest.WantErr(t, err, context.Canceled)

	ctx, cancel = context.WithCancel(t.Context())
	read := 0
	cancelling := func(tracker.Run) tracker.ShapeCheck {
		return func(int, schema.Kind, schema.Shape) error {
			if read++; read == 200 {
				cancel()
			}
			return nil
		}
	}
	_, err = Read(ctx, bytes.NewReader(listingStream(t, 500)), s, Options{CheckShape: cancelling})
	storetest.WantErr(t, err, context.Canceled)
	storetest.Equal(t, "records read", read, 200)
}

// TestTwice: a store that has the run keeps it as it is.
func TestTwice(t *testing.T) {
	from, _ := storetest.NewStore(t)
	stream := written(t, from, storetest.Extend(t, from, 1, 2), firstOf)
	s, _, err := readInto(t, stream, Options{})
	storetest.OK(t, err)
	_, err = Read(t.Context(), bytes.NewReader(stream), s, Options{})
	storetest.WantErr(t, err, tracker.ErrInvalid)
}

// packPlain compresses bytes that need not be items.
func packPlain(t testing.TB, plain []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<16))
	storetest.OK(t, err)
	return z.EncodeAll(plain, nil)
}

func unpacked(stream []byte) ([]byte, error) {
	z, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(stream, nil)
}

// FuzzRead: no stream of items ends the program, and whatever is accepted is what podtrack writes,
// byte by byte.
func FuzzRead(f *testing.F) {
	from, _ := storetest.NewStore(f)
	for n := range 3 {
		plain, err := unpacked(written(f, from, storetest.Extend(f, from, uint64(n), n+1), firstOf))
		storetest.OK(f, err)
		f.Add(plain)
	}
	f.Fuzz(func(t *testing.T, plain []byte) {
		items, err := newItemReader(t.Context(), bytes.NewReader(packPlain(t, plain)))
		storetest.OK(t, err)
		defer items.close()
		e := &reader{items: items, listed: map[schema.Digest]bool{}}
		if e.readRun(Options{}) != nil || e.readIterations() != nil {
			return
		}
		var records [][]byte
		for _, want := range e.expected {
			record, err := e.readRecord(want)
			if err != nil {
				return
			}
			records = append(records, record)
		}
		if items.end() != nil {
			return
		}
		again, err := unpacked(e.written(t, records))
		storetest.OK(t, err)
		if !bytes.Equal(again, plain) {
			t.Errorf("%q\nis read like\n%q", plain, again)
		}
	})
}

// written writes again what was read.
func (r *reader) written(t testing.TB, records [][]byte) []byte {
	t.Helper()
	items := [][]byte{encoded(t, header{Version: version, Note: r.Note, Spec: r.Run.Spec, Start: r.Run.Start,
		Ancestors: r.Run.Ancestors, Iterations: r.count})}
	for k, it := range r.Iterations {
		items = append(items, encoded(t, iterationItem{Records: it.Records, Kept: r.kept[k]}))
	}
	return pack(t, append(items, records...)...)
}

// perIteration is the number of records of an iteration of [listingStream].
const perIteration = 100

// listingStream returns an excerpt of n small records.
func listingStream(t testing.TB, n int) []byte {
	t.Helper()
	items := [][]byte{encoded(t, header{Version: version, Note: []byte{}, Spec: storetest.Spec(1),
		Ancestors: []tracker.Ancestor{}, Iterations: (n + perIteration - 1) / perIteration})}
	var records [][]byte
	item := iterationItem{Kept: []int{}}
	for i := range n {
		record := storetest.Encoded(t, schema.Value{float64(i), 1})
		records, item.Kept = append(records, record), append(item.Kept, len(item.Records))
		item.Records = append(item.Records, schema.Entry{Kind: schema.KindValue, Name: schema.Name(record)})
		if len(item.Records) == perIteration || i == n-1 {
			items, item = append(items, encoded(t, item)), iterationItem{Kept: []int{}}
		}
	}
	return pack(t, slices.Concat(items, records)...)
}
