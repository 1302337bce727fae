package schema_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// checkAgreesWithDecode fails unless CheckRecord and Decode agree for every kind.
func checkAgreesWithDecode(t interface{ Fatalf(string, ...any) }, record []byte) {
	for _, kind := range append(schema.Kinds, "purpose") {
		_, decoded := schema.Decode(kind, record)
		if checked := schema.CheckRecord(kind, record); fmt.Sprint(checked) != fmt.Sprint(decoded) {
			t.Fatalf("as %s, %x is checked: %v, and decoded: %v", kind, record, checked, decoded)
		}
	}
}

// FuzzCheck: CheckRecord accepts a record exactly if Decode does.
func FuzzCheck(f *testing.F) {
	for _, l := range literals {
		f.Add(assemble(f, l.listing))
	}
	f.Fuzz(func(t *testing.T, record []byte) { checkAgreesWithDecode(t, record) })
}

// TestCheckRecord: CheckRecord agrees with Decode on valid records and on records of which
// one byte was changed.
func TestCheckRecord(t *testing.T) {
	for _, l := range literals {
		record := assemble(t, l.listing)
		if err := schema.CheckRecord(l.kind, record); err != nil {
			t.Errorf("%s: %v", l.kind, err)
		}
		for i, b := range record {
			for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
				record[i] = b ^ flip
				checkAgreesWithDecode(t, record)
			}
			record[i] = b
		}
	}
}

// TestCheckOptions: CheckRecord agrees with Decode on options of any number of states and
// actions, of which one state of I or of the policy was changed.
func TestCheckOptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := schema.Option{
			Arity:       rapid.IntRange(1, schema.MaxActions).Draw(t, "arity"),
			Purpose:     schema.Purpose{J: 1, Sign: 1, Sigma: positive.Draw(t, "sigma"), Vector: []float64{1}},
			Certificate: schema.Certificate{Termination: schema.Proved, PeakQ: allFinite.Draw(t, "peak")},
		}
		o.Policy = rapid.SliceOfN(rapid.Int8Range(schema.Terminate, int8(o.Arity-1)), 1, 70).Draw(t, "policy")
		record, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.CheckRecord(schema.KindOption, record); err != nil {
			t.Fatal(err)
		}
		initiation := (len(o.Policy) + 7) / 8 // bytes of I, the last of the record
		at := len(record) - rapid.IntRange(1, 2*initiation).Draw(t, "at")
		record[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		checkAgreesWithDecode(t, record)
		if at >= len(record)-initiation && schema.CheckRecord(schema.KindOption, record) == nil {
			t.Fatal("another I with the same policy")
		}
	})
}

// TestCBORReaderFloats: each number is read only from the form in which it is written.
func TestCBORReaderFloats(t *testing.T) {
	read := func(item []byte) (float64, bool) {
		r := schema.NewCBORReader(item)
		x := r.ReadFloat()
		return x, r.Complete()
	}
	check := func(x float64) error {
		item, err := schema.Marshal(x)
		if err != nil {
			return nil // NaN or infinite
		}
		if got, ok := read(item); !ok || math.Float64bits(got) != math.Float64bits(x) {
			return fmt.Errorf("%x is read as %v, %v, and not as %v", item, got, ok, x)
		}
		var wide [9]byte
		wide[0] = 0xfb
		binary.BigEndian.PutUint64(wide[1:], math.Float64bits(x))
		if _, ok := read(wide[:]); ok != (len(item) == 9) {
			return fmt.Errorf("%v in eight bytes: %v", x, ok)
		}
		narrow := binary.BigEndian.AppendUint32([]byte{0xfa}, math.Float32bits(float32(x)))
		if got, ok := read(narrow); ok != (float64(float32(x)) == x && len(item) == 5) && got == x {
			return fmt.Errorf("%v in four bytes: %v", x, ok)
		}
		return nil
	}
	for b := range 1 << 16 {
		item := binary.BigEndian.AppendUint16([]byte{0xf9}, uint16(b))
		x, ok := read(item)
		var want float64
		if err := schema.Unmarshal(item, &want); (err == nil) != ok || ok &&
			math.Float64bits(x) != math.Float64bits(want) {
			t.Fatalf("%x is read as %v, %v, and not as %v, %v", item, x, ok, want, err)
		}
		single := math.Float32frombits(uint32(b) << 16)
		if err := errors.Join(check(want), check(float64(single)),
			check(math.Float64frombits(uint64(b)<<48))); err != nil {
			t.Fatal(err)
		}
	}
	if err := check(0x1p-15 + 0x1p-25); err != nil { // a bit more than two bytes have
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if err := errors.Join(check(x), check(float64(float32(x)))); err != nil {
			t.Fatal(err)
		}
	})
}
