package schema_test

import (
	"fmt"
	"reflect"
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
	f.Fuzz(func(t *testing.T, record []byte) {
		checkAgreesWithDecode(t, record)
	})
}

// TestCheckRecord: CheckRecord agrees with Decode on valid records and on records with one byte changed.
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

// TestCheckOptions: CheckRecord agrees with Decode on options of any number of states and actions, with one
// state of I or of the policy changed.
func TestCheckOptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := schema.Option{
			Arity:       rapid.IntRange(1, schema.MaxActions).Draw(t, "arity"),
			Purpose:     schema.Purpose{J: 1, Sign: 1, Sigma: positive.Draw(t, "sigma"), Vector: []float64{1}},
			Certificate: schema.Certificate{Termination: schema.Proved, PeakQ: allFinite.Draw(t, "peak")},
		}
		o.Policy = rapid.SliceOfN(rapid.Int8Range(schema.Terminate, int8(o.Arity-1)), 1, 70).Draw(t, "policy")
		o.Purpose.Start = drawStart(t, len(o.Policy))
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

// TestCutRecords: a record without its last bytes decodes to an error and to the zero value, never to a value
// whose arrays are shorter than it says.
func TestCutRecords(t *testing.T) {
	for _, l := range literals {
		record := assemble(t, l.listing)
		for n := range record {
			value, err := l.decode(record[:n])
			if v := reflect.ValueOf(value); err == nil || v.IsValid() && !v.IsZero() {
				t.Errorf("%s, %d of %d bytes: %v, %v", l.kind, n, len(record), value, err)
				break
			}
		}
	}
}
