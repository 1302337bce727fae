package importer_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/schema"
)

// TestRefused: every archive but the first is refused, with a remedy, and before
// more than a little is allocated.
func TestRefused(t *testing.T) {
	floats := func(xs ...float64) []byte { return matrix(t, 1, xs...) }
	delta := func(data []byte) []byte { return archive(t, member{"delta", data}) }
	walk := func(state, action []byte) []byte { return archive(t, member{"state", state}, member{"action", action}) }
	states, actions := vector[int64](t, "<i8", 0, 1, 2), vector[int32](t, "<i4", 1, 1)
	eight := make([]byte, 8)
	tests := []struct {
		name string
		data []byte
		want error
		says string
	}{
		{"as it should be", delta(floats(1)), nil, ""},
		{"steps as they should be", walk(states, actions), nil, ""},

		{"empty", nil, importer.ErrFile, ""},
		{"no archive", []byte(strings.Repeat("x", 100)), importer.ErrFile, ""},
		{"cut off", delta(floats(1))[:60], importer.ErrFile, ""},
		{
			"two of one name", archive(t, member{"delta", floats(1)}, member{"delta", floats(2)}), importer.ErrFile,
			`two arrays "delta"`,
		},
		{"a list of members without end", manyMembers(t), importer.ErrFile, "too long"},

		{"no array", delta([]byte("what is this?")), importer.ErrArray, "does not begin"},
		{"no bytes", delta(nil), importer.ErrArray, "is truncated"},
		{"version 4", delta([]byte("\x93NUMPY\x04\x00\x00\x00\x00\x00")), importer.ErrArray, "version 4.0"},
		{
			"header longer than the member", delta([]byte("\x93NUMPY\x01\x00\xff\x00{}")), importer.ErrArray,
			"is truncated",
		},
		{
			"header of 4 GiB", delta([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}")), importer.ErrArray,
			"claims 4294967295 bytes",
		},
		{"objects", delta(npy(dict("|O", false, "1, 1"), eight)), importer.ErrArray, "never unpickled"},
		{
			"objects in a structure",
			delta(npy("{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1, 1), }", eight)),
			importer.ErrArray, "never unpickled",
		},
		{
			"an entry missing", delta(npy("{'descr': '<f8', 'shape': (1, 1), }", eight)), importer.ErrArray,
			"invalid header",
		},
		{
			"an entry twice",
			delta(npy("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", eight)),
			importer.ErrArray, "invalid header",
		},
		{
			"an entry more", delta(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'x': 1}", eight)),
			importer.ErrArray, "invalid header",
		},
		{
			"entries exchanged", delta(npy("{'descr': True, 'fortran_order': '<f8', 'shape': (1, 1), }", eight)),
			importer.ErrArray, "",
		},
		{
			"order that is no bool",
			delta(npy("{'descr': '<f8', 'fortran_order': (1, 1), 'shape': (1, 1), }", eight)), importer.ErrArray,
			"invalid header",
		},
		{
			"shape that is no tuple", delta(npy("{'descr': '<f8', 'fortran_order': False, 'shape': True, }", eight)),
			importer.ErrArray, "invalid header",
		},
		{"half floats", delta(npy(dict("<f2", false, "4, 1"), eight)), importer.ErrArray, "'<f2'"},
		{"complex", delta(npy(dict("<c8", false, "1, 1"), eight)), importer.ErrArray, "'<c8'"},
		{"text", delta(npy(dict("<U2", false, "1, 1"), eight)), importer.ErrArray, "'<U2'"},
		{"wide without an order", delta(npy(dict("|f8", false, "1, 1"), eight)), importer.ErrArray, "'|f8'"},

		{"shorter than its shape", delta(npy(dict("<f8", false, "2, 1"), eight)), importer.ErrArray, "does not have"},
		{
			"longer than its shape", delta(npy(dict("<f8", false, "1, 1"), make([]byte, 16))), importer.ErrArray,
			"does not have",
		},
		{"negative axis", delta(npy(dict("<f8", false, "-1, 1"), eight)), importer.ErrArray, "invalid header"},
		{
			"axis over 2^63", delta(npy(dict("<f8", false, "9223372036854775808, 1"), eight)), importer.ErrArray,
			"its shape is",
		},
		{
			"axes that wrap round", delta(npy(dict("<f8", false, "1099511627776, 1099511627776, 1048576"), eight)),
			importer.ErrArray, "does not have",
		},
		{
			"axes that wrap round to the size", delta(npy(dict("<f8", false, "1099511627776, 2097152"), nil)),
			importer.ErrArray, "does not have",
		},
		{"no rows", delta(npy(dict("<f8", false, "0, 1"), nil)), importer.ErrArray, "its shape is [0 1]"},
		{"no features", delta(npy(dict("<f8", false, "1, 0"), nil)), importer.ErrArray, "its shape is [1 0]"},
		{
			"no features of very many", delta(npy(dict("<f8", true, "1099511627776, 0"), nil)), importer.ErrArray,
			"its shape is",
		},
		{"a number", delta(npy(dict("<f8", false, ""), eight)), importer.ErrArray, "its shape is []"},
		{"one axis", delta(npy(dict("<f8", false, "1,"), eight)), importer.ErrArray, "its shape is [1]"},
		{"three axes", delta(npy(dict("<f8", false, "1, 1, 1"), eight)), importer.ErrArray, "its shape is [1 1 1]"},
		{
			"too many features", delta(npy(dict("|i1", false, "1, 4097"), make([]byte, 4097))), importer.ErrArray,
			"4097 features",
		},

		{"NaN", delta(floats(1, math.NaN())), importer.ErrArray, "delta[1,0] is NaN"},
		{"too large in all", delta(matrix(t, 2, 0, 1, -1.7e308, 3)), importer.ErrArray,
			"delta[1,0] is 1.7e+308 in magnitude"},
		{"too large in sum", delta(matrix(t, 2, 0, 9e306, 9e306, 1)), importer.ErrArray, "delta[0,1] is 9e+306 in magnitude"},
		{"infinite", delta(matrix(t, 2, 0, 1, 2, 3, 4, math.Inf(-1))), importer.ErrArray, "delta[2,1] is -Inf"},
		{
			"NaN, column by column", delta(npy(dict("<f8", true, "3, 2"), bits64(1, 2, 3, 4, math.NaN(), 6))),
			importer.ErrArray, "delta[1,1] is NaN",
		},
		{
			"no float", delta(npy(dict("<i8", false, "1, 1"), []byte{1, 0, 0, 0, 0, 0, 32, 0})), importer.ErrArray,
			"delta[0,0] is 9007199254740993",
		},
		{"no bool", delta(npy(dict("|b1", false, "1, 2"), []byte{1, 2})), importer.ErrArray, "element 1 is 2"},

		{"states of floats", walk(vector(t, "<f8", 0., 1), actions), importer.ErrArray, "its type f8"},
		{
			"states in two axes", walk(npy(dict("|i1", false, "3, 1"), []byte{0, 1, 2}), actions), importer.ErrArray,
			"its shape is [3 1]",
		},
		{
			"a state over 2^63", walk(vector[uint64](t, "<u8", 1<<63, 1, 2), actions), importer.ErrArray,
			"element 0 is 9223372036854775808",
		},
		{
			"a state too few", walk(vector[int64](t, "<i8", 0, 1), actions), importer.ErrData,
			"2 states for 2 actions",
		},
		{
			"a state too many", walk(vector[int64](t, "<i8", 0, 1, 2, 3), actions), importer.ErrData,
			"4 states for 2 actions",
		},
		{"no steps", walk(vector[int64](t, "<i8", 0), vector[int32](t, "<i4")), importer.ErrData, "no actions"},
		{"begins nowhere", walk(vector[int64](t, "<i8", 8, 1, 2), actions), importer.ErrData, "state[0] is 8"},
		{"begins before all", walk(vector[int64](t, "<i8", -1, 0, 1), actions), importer.ErrData, "state[0] is -1"},
		{
			"a wrong step", walk(vector[int64](t, "<i8", 0, 1, 3), actions), importer.ErrData,
			"step 1: action 1 leads from state 1 to 2, and state[2] is 3",
		},
		{"no such action", walk(states, vector[int32](t, "<i4", 1, 2)), importer.ErrData, "action[1] is 2"},
		{"a negative action", walk(states, vector[int32](t, "<i4", -1, 1)), importer.ErrData, "action[0] is -1"},
		{
			"an option",
			archive(t, member{"state", states}, member{"action", actions}, member{
				"option", vector[int32](t, "<i4", -1, 0),
			}),
			importer.ErrData, "option[1] is 0",
		},
		{
			"options too few",
			archive(t, member{"state", states}, member{"action", actions}, member{
				"option", vector[int32](t, "<i4", -1),
			}),
			importer.ErrData, "1 options for 2 actions",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.data, 3)
			if !errors.Is(err, tt.want) || tt.want != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %v that says %q", err, tt.want, tt.says)
			}
			if tt.want != nil && schema.Remedy(err) == "" {
				t.Error("no remedy")
			}
		})
	}
}

func bits64(xs ...float64) (b []byte) {
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// manyMembers returns an archive of so many members that listing them would take all
// memory.
func manyMembers(t testing.TB) []byte {
	members := make([]member, 0, 1<<18)
	for i := range cap(members) {
		members = append(members, member{fmt.Sprintf("%030d!", i), nil})
	}
	return archive(t, members...)
}

// TestDamaged: a changed byte is either refused or changes nothing that is
// imported.
func TestDamaged(t *testing.T) {
	whole := archive(t, member{"state!", vector[int64](t, "<i8", 0, 1, 2)}, member{
		"action", vector[int32](t, "<i4", 1, 1),
	})
	want, err := read(t, whole, 3)
	ok(t, err)
	refused := 0
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x55
		got, err := read(t, changed, 3)
		if err != nil {
			refused++
		} else if got.Digest != want.Digest {
			t.Errorf("byte %d changed gives other data", i)
		}
	}
	if refused < len(whole)/2 {
		t.Errorf("only %d of %d changed bytes were refused", refused, len(whole))
	}
}

// TestLies: the sizes that a list of members claims are not trusted.
func TestLies(t *testing.T) {
	whole := archive(t, member{"delta", matrix(t, 1, make([]float64, 100)...)})
	claimed := 800 + len(npy(dict("<f8", false, "100, 1"), nil))
	at := bytes.LastIndex(whole, binary.LittleEndian.AppendUint32(nil, uint32(claimed)))
	if at < 0 {
		t.Fatal("the size is not in the list")
	}
	for _, size := range []uint32{0, 1, uint32(claimed) - 8, uint32(claimed) + 8, 1 << 20, math.MaxUint32 - 1} {
		lie := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(lie[at:], size)
		before := allocated()
		if _, err := read(t, lie, 3); !errors.Is(err, importer.ErrArray) {
			t.Errorf("size %d: %v, want ErrArray", size, err)
		}
		if n := allocated() - before; n > 1<<20 {
			t.Errorf("size %d: %d bytes allocated", size, n)
		}
	}
}

// TestBomb: an array that deflates by a thousand is read in little memory.
func TestBomb(t *testing.T) {
	const rows = 4 << 20
	bomb := archive(t, member{"delta", npy(dict("<f8", false, fmt.Sprintf("%d, 1", rows)), make([]byte, 8*rows))})
	if len(bomb) > 8*rows/500 {
		t.Fatalf("a bomb of %d bytes", len(bomb))
	}
	before := allocated()
	d, err := read(t, bomb, 3)
	ok(t, err)
	if n := allocated() - before; n > 1<<20 || d.Steps != rows {
		t.Errorf("%d bytes allocated for %d rows", n, d.Steps)
	}
	turned := archive(t, member{
		"delta",
		npy(dict("|i1", true, fmt.Sprintf("%d, 1", importer.MaxDistinct/8+1)), make([]byte, importer.MaxDistinct/8+1)),
	})
	before = allocated()
	if _, err := read(t, turned, 3); !errors.Is(err, importer.ErrArray) ||
		!strings.Contains(schema.Remedy(err), "ascontiguousarray") {
		t.Errorf("%v with remedy %q", err, schema.Remedy(err))
	}
	if n := allocated() - before; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// TestBombInTime: what would unpack to gigabytes is refused before it is unpacked. The
// same array is read where it is not compressed.
func TestBombInTime(t *testing.T) {
	const columns, rows = 64, 1<<25 + 1
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("delta.npy")
	ok(t, err)
	_, err = w.Write(npy(dict("|i1", false, fmt.Sprintf("%d, %d", rows, columns)), nil))
	ok(t, err)
	_, err = w.Write(make([]byte, 1<<20))
	ok(t, err)
	ok(t, z.Close())
	bomb := b.Bytes()
	// The list of members claims the whole array, as a bomb's does, whose bytes nobody
	// gets to here.
	claimed := len(npy(dict("|i1", false, fmt.Sprintf("%d, %d", rows, columns)), nil))
	at := bytes.LastIndex(bomb, binary.LittleEndian.AppendUint32(nil, uint32(claimed+1<<20)))
	binary.LittleEndian.PutUint32(bomb[at:], uint32(claimed+rows*columns))
	binary.LittleEndian.PutUint32(bomb[at-4:], uint32(claimed+rows*columns)/500) // of so many compressed bytes
	_, err = read(t, bomb, 3)
	if !errors.Is(err, importer.ErrArray) || !strings.Contains(schema.Remedy(err), "numpy.savez") {
		t.Errorf("%v with remedy %q", err, schema.Remedy(err))
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestChecksum: elements that the zip's checksum speaks against are refused, even
// where they are data as good as others.
func TestChecksum(t *testing.T) {
	data := matrix(t, 1, 1, 2, 3)
	whole := archive(t, member{"delta!", data})
	whole[bytes.Index(whole, data)+len(data)-2] ^= 1
	if _, err := read(t, whole, 3); !errors.Is(err, importer.ErrArray) {
		t.Errorf("%v, want ErrArray", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(archive(f, member{"state", vector[int64](f, "<i8", 0, 1, 2)}, member{
		"action", vector[int32](f, "<i4", 1, 1),
	}))
	f.Add(archive(f, member{"0/delta!", matrix(f, 2, 1, 2, 3, 4)}))
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data) })
}

// FuzzArray is FuzzRead without the zip around it, which hardly anything random
// gets through.
func FuzzArray(f *testing.F) {
	f.Add(matrix(f, 2, 1, 2, 3, 4))
	f.Add(npy(dict(">i2", true, "2, 2"), make([]byte, 8)))
	f.Add(npy(dict("|O", false, "1,"), nil))
	f.Add([]byte("\x93NUMPY\x03\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, archive(t, member{"delta!", data})) })
}

// checkRead checks that reading does not panic, and that what it takes are
// records which decode.
func checkRead(t *testing.T, data []byte) {
	d, err := read(t, data, 3)
	if err != nil {
		return
	}
	if len(d.Records) == 0 || d.Steps < 1 {
		t.Fatalf("%d steps in %d records", d.Steps, len(d.Records))
	}
	for _, record := range d.Records {
		_, walked := schema.DecodeTransitions(record)
		_, counted := schema.DecodeRows(record)
		if walked != nil && counted != nil {
			t.Fatalf("%v, %v", walked, counted)
		}
	}
}
