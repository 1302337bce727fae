package importer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestChoose: which arrays are the data, with and without being told.
func TestChoose(t *testing.T) {
	both, walks, rows := []string{"state", "action", "delta"}, []string{"state", "action"}, []string{"delta"}
	under := func(prefix string, names []string) (all []string) {
		for _, n := range names {
			all = append(all, prefix+n)
		}
		return all
	}
	tests := []struct {
		names      []string
		prefix, as string // - for no prefix given
		want, also string // prefix and kind; or an error and its remedy
	}{
		{both, "-", "", "", "transitions"},
		{both, "-", "delta", "", "delta"},
		{walks, "-", "", "", "transitions"},
		{rows, "-", "", "", "delta"},
		{append(rows, "state"), "-", "", "", "delta"},
		{append(rows, "state"), "-", "transitions", "arrays not found: state and action", "numpy.savez"},
		{under("0/", both), "-", "", "0/", "transitions"},
		{under("a/0/", rows), "-", "", "a/0/", "delta"},
		{append(under("0/", both), under("1/", rows)...), "-", "transitions", "0/", "transitions"},
		{
			append(under("0/", both), under("1/", rows)...), "-", "", "arrays not found: state and action, or delta",
			"prefix: 0/ 1/",
		},
		{append(under("0/", both), under("1/", both)...), "1/", "", "1/", "transitions"},
		{append(under("0/", both), rows...), "-", "", "", "delta"},
		{append(under("0/", both), rows...), "0/", "", "0/", "transitions"},
		{
			append(under("0/", both), rows...), "2/", "",
			`arrays not found: state and action, or delta under the prefix "2/"`, "prefix: '' 0/",
		},
		{both, "0/", "", `under the prefix "0/"`, "prefix: ''"},
		{under("x-", walks), "x-", "", "x-", "transitions"},
		{both, "-", "colours", `unknown kind of data "colours"`, "use transitions or delta"},
		{nil, "-", "", "arrays not found", "numpy.savez"},
	}
	for _, tt := range tests {
		var members []member
		for _, name := range tt.names {
			members = append(members, member{name, nil})
		}
		data := archive(t, members...)
		a, err := importer.Open(bytes.NewReader(data), int64(len(data)))
		ok(t, err)
		var prefix *string
		if tt.prefix != "-" {
			prefix = &tt.prefix
		}
		s, err := a.FindSource(prefix, tt.as)
		if err != nil && (!strings.Contains(err.Error(), tt.want) || !strings.Contains(schema.Remedy(err), tt.also)) {
			t.Errorf("%v as %q: %v with remedy %q", tt.names, tt.as, err, schema.Remedy(err))
		}
		if err == nil && (s.Prefix != tt.want || s.As != tt.also) {
			t.Errorf("%v as %q: %q, %q; want %q, %q", tt.names, tt.as, s.Prefix, s.As, tt.want, tt.also)
		}
	}
}

// TestManyPrefixes: an error does not list thousands.
func TestManyPrefixes(t *testing.T) {
	var members []member
	for i := range 20 {
		members = append(members, member{fmt.Sprintf("%02d/delta", i), nil})
	}
	data := archive(t, members...)
	a, err := importer.Open(bytes.NewReader(data), int64(len(data)))
	ok(t, err)
	_, err = a.FindSource(nil, "")
	const want = "choose the arrays by their prefix: 00/ 01/ 02/ 03/ 04/ 05/ 06/ 07/ and 12 more"
	if schema.Remedy(err) != want {
		t.Errorf("%v with remedy %q, want %q", err, schema.Remedy(err), want)
	}
}

// TestElements: one and the same D, in every type, byte order and order of
// elements that is read.
func TestElements(t *testing.T) {
	numbers := []int8{-3, 2, 0, 1, 1, 0} // 3 rows of 2
	columns := []int8{-3, 0, 1, 2, 1, 0}
	want := schema.Rows{Dims: 2, Total: 3, Rows: []float64{-3, 2, 0, 1, 1, 0}, Counts: []int64{1, 1, 1}}
	wide := map[string]func(int8) any{
		"i1": func(x int8) any { return x },
		"i2": func(x int8) any { return int16(x) },
		"i4": func(x int8) any { return int32(x) },
		"i8": func(x int8) any { return int64(x) },
		"f4": func(x int8) any { return float32(x) },
		"f8": func(x int8) any { return float64(x) },
	}
	for name, widen := range wide {
		for mark, order := range map[string]binary.AppendByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian} {
			for _, fortran := range []bool{false, true} {
				xs := numbers
				if fortran {
					xs = columns
				}
				var data []byte
				for _, x := range xs {
					data = appendAny(t, data, order, widen(x))
				}
				d, err := read(t, archive(t, member{"delta", npy(dict(mark+name, fortran, "3, 2"), data)}), 3)
				ok(t, err)
				got, err := schema.DecodeRows(d.Records[0])
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%s%s, Fortran %v: %v (-want +got):\n%s", mark, name, fortran, err, diff)
				}
			}
		}
	}
}

func appendAny(t *testing.T, data []byte, order binary.AppendByteOrder, x any) []byte {
	t.Helper()
	var err error
	if order == binary.AppendByteOrder(binary.BigEndian) {
		data, err = binary.Append(data, binary.BigEndian, x)
	} else {
		data, err = binary.Append(data, binary.LittleEndian, x)
	}
	ok(t, err)
	return data
}

// TestUnsigned: the types that have no negative numbers, and headers of versions 2
// and 3.
func TestUnsigned(t *testing.T) {
	state := []any{[]uint8{6, 7, 0}, []uint16{6, 7, 0}, []uint32{6, 7, 0}, []uint64{6, 7, 0}}
	for i, descr := range []string{"|u1", "<u2", "<u4", "<u8"} {
		data, err := binary.Append(nil, binary.LittleEndian, state[i])
		ok(t, err)
		old := npy(dict(descr, false, "3,"), data)
		newer := slices.Concat([]byte("\x93NUMPY"), []byte{byte(2 + i%2), 0}, old[8:10], []byte{0, 0}, old[10:])
		for _, array := range [][]byte{old, newer} {
			d, err := read(t,
				archive(t, member{"state", array}, member{"action", npy(dict("|b1", false, "2,"), []byte{1, 1})}), 3)
			ok(t, err)
			got, err := schema.DecodeTransitions(d.Records[0])
			want := schema.Transitions{
				Start: 6, Arity: 2, Actions: []uint8{1, 1}, Spans: []schema.Span{{Steps: 2, Option: -1}},
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", descr, err, diff)
			}
		}
	}
}

// TestChunks: steps are packed as a run packs its own, also around the ends of
// chunks.
func TestChunks(t *testing.T) {
	env := ring(t, 5)
	for _, n := range []int{1, 1<<16 + 1, schema.ChunkSteps - 1, schema.ChunkSteps, schema.ChunkSteps + 1} {
		agent := collect.Collector{
			Env: env, Stream: rng.NewStream(1, 0, collect.WalkStream), State: 9, Executing: schema.Primitive,
		}
		state, action := []int32{9}, []int8{}
		var want [][]byte
		for left := n; left > 0; {
			x := schema.Transitions{Start: uint64(agent.State), Arity: 2}
			_ = agent.Collect(context.Background(), &x, min(left, schema.ChunkSteps))
			left -= len(x.Actions)
			record, err := x.Encode()
			ok(t, err)
			want = append(want, record)
			for _, a := range x.Actions {
				state = append(state, int32(env.Step(int(state[len(state)-1]), int(a))))
				action = append(action, int8(a))
			}
		}
		d, err := read(t,
			archive(t, member{"state", vector(t, "<i4", state...)}, member{"action", vector(t, "|i1", action...)}), 5)
		ok(t, err)
		if d.Steps != int64(n) || !slices.EqualFunc(d.Records, want, bytes.Equal) {
			t.Errorf("%d steps: %d steps in %d records, not the walk's %d", n, d.Steps, len(d.Records), len(want))
		}
	}
}

// TestRowsProperties: what is recorded of D are its distinct rows with their
// counts, whatever the order of its rows and the signs of its zeros.
func TestRowsProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dims := rapid.IntRange(1, 4).Draw(r, "dims")
		number := rapid.SampledFrom([]float64{-1, 0, 0.5, 1e300})
		rows := rapid.SliceOfN(rapid.SliceOfN(number, dims, dims), 1, 30).Draw(r, "rows")
		d, err := read(t, archive(t, member{"delta", matrix(t, dims, slices.Concat(rows...)...)}), 3)
		ok(t, err)
		got, err := schema.DecodeRows(d.Records[0])
		ok(t, err)
		counts := map[string]int64{}
		for _, row := range rows {
			counts[fmt.Sprint(row)]++
		}
		if got.Total != int64(len(rows)) || len(got.Counts) != len(counts) {
			t.Fatalf("%d rows, %d distinct; want %d, %d", got.Total, len(got.Counts), len(rows), len(counts))
		}
		for i, c := range got.Counts {
			if row := fmt.Sprint(got.Rows[i*dims : (i+1)*dims]); counts[row] != c {
				t.Fatalf("row %s counts %d, want %d", row, c, counts[row])
			}
		}
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		shuffled := slices.Concat(rows...)
		for i, x := range shuffled {
			if x == 0 && i%2 == 0 {
				shuffled[i] = math.Copysign(0, -1)
			}
		}
		again, err := read(t, archive(t, member{"delta", matrix(t, dims, shuffled...)}), 3)
		ok(t, err)
		if again.Digest != d.Digest {
			t.Fatal("another order of rows gives other data")
		}
	})
}

// TestTooManyDistinctRows: more distinct rows than are kept are refused before they take memory.
func TestTooManyDistinctRows(t *testing.T) {
	if testing.Short() {
		t.Skip("a quarter of a gigabyte")
	}
	const dims = 1 << 12
	rows := importer.MaxDistinct/(8*dims+64) + 1
	data := make([]byte, rows*dims*2)
	for i := range rows {
		binary.LittleEndian.PutUint16(data[2*dims*i:], uint16(i))
	}
	_, err := read(t, archive(t, member{"delta", npy(dict("<u2", false, fmt.Sprintf("%d, %d", rows, dims)), data)}), 3)
	if !errors.Is(err, importer.ErrData) ||
		!strings.Contains(err.Error(), fmt.Sprintf("more than %d distinct rows", rows-1)) {
		t.Errorf("%v, want ErrData", err)
	}
}

func TestMain(m *testing.M) { schematest.Main(m) }
