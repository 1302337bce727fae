package schema_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// The value record of the number 1 is head, then one.
const (
	head = `a3 "kind" "value" "shape" 81 01 "version" 01`
	one  = "000000000000f03f"
)

func decoderOf(t *testing.T, kind schema.Kind) func([]byte) (any, error) {
	t.Helper()
	for _, l := range literals {
		if l.kind == kind {
			return l.decode
		}
	}
	t.Fatalf("no literal of kind %s", kind)
	return nil
}

// TestTruncatedOrOversized cuts every literal at every byte and appends one.
func TestTruncatedOrOversized(t *testing.T) {
	for _, l := range literals {
		record := assemble(t, l.listing)
		for n := range record {
			if _, err := l.decode(record[:n:n]); !errors.Is(err, wire.ErrTruncated) {
				t.Errorf("%s cut to %d of %d bytes: %v, want ErrTruncated", l.kind, n, len(record), err)
			}
		}
		for _, b := range []byte{0, 0x40, 0xff} {
			if _, err := l.decode(append(record[:len(record):len(record)], b)); !errors.Is(err, wire.ErrOversized) {
				t.Errorf("%s with byte %x appended: %v, want ErrOversized", l.kind, b, err)
			}
		}
	}
	spec := assemble(t, paperListing)
	for n := range spec {
		if _, err := decodeSpec(spec[:n:n]); !errors.Is(err, wire.ErrTruncated) {
			t.Errorf("spec cut to %d of %d bytes: %v, want ErrTruncated", n, len(spec), err)
		}
	}
	if _, err := decodeSpec(append(spec, 0)); !errors.Is(err, wire.ErrOversized) {
		t.Errorf("spec with a byte appended: %v, want ErrOversized", err)
	}
}

// TestOneByteChanged: only a record's own bytes decode to its value. If a changed record decodes, its value
// encodes to the changed bytes.
func TestOneByteChanged(t *testing.T) {
	for _, l := range literals {
		record := assemble(t, l.listing)
		for i, b := range record {
			for flip := 1; flip < 256; flip++ {
				record[i] = b ^ byte(flip)
				v, err := l.decode(record)
				if err != nil {
					continue
				}
				again, err := v.(encodingOptions).Encode()
				if err != nil || string(again) != string(record) {
					t.Errorf("%s with byte %d as %x decodes to %+v, which encodes to %x, %v", l.kind, i, record[i], v,
						again, err)
				}
			}
			record[i] = b
		}
	}
}

// TestStrictHeader is about CBOR, with the header of a value record.
func TestStrictHeader(t *testing.T) {
	tests := []struct {
		name    string
		listing string
		want    error
	}{
		{"as it should be", head + one, nil},
		{"nothing", "", wire.ErrTruncated},
		{"version not minimal", `a3 "kind" "value" "shape" 81 01 "version" 1801` + one, wire.ErrNotCanonical},
		{"version in 8 bytes", `a3 "kind" "value" "shape" 81 01 "version" 1b0000000000000001` + one,
			wire.ErrNotCanonical},
		{"version as a float", `a3 "kind" "value" "shape" 81 01 "version" f93c00` + one, wire.ErrMalformed},
		{"version null", `a3 "kind" "value" "shape" 81 01 "version" f6` + one, wire.ErrNotCanonical},
		{"version negative", `a3 "kind" "value" "shape" 81 01 "version" 20` + one, wire.ErrMalformed},
		{"version tagged", `a3 "kind" "value" "shape" 81 01 "version" c1 01` + one, wire.ErrMalformed},
		{"version a bignum", `a3 "kind" "value" "shape" 81 01 "version" c2 41 01` + one, wire.ErrMalformed},
		{"version unknown", `a3 "kind" "value" "shape" 81 01 "version" 02` + one, wire.ErrVersion},
		{"version 0", `a3 "kind" "value" "shape" 81 01 "version" 00` + one, wire.ErrVersion},
		{"version missing", `a2 "kind" "value" "shape" 81 01` + one, wire.ErrNotCanonical},
		{"kind unknown", `a3 "kind" "values" "shape" 81 01 "version" 01` + one, wire.ErrVersion},
		{"kind empty", `a3 "kind" "" "shape" 81 01 "version" 01` + one, wire.ErrVersion},
		{"kind as bytes", `a3 "kind" 4576616c7565 "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"kind not UTF-8", `a3 "kind" 61ff "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"another kind", `a3 "kind" "measures" "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"map head not minimal", `b803 "kind" "value" "shape" 81 01 "version" 01` + one, wire.ErrNotCanonical},
		{"text head not minimal", `a3 78046b696e64 "value" "shape" 81 01 "version" 01` + one, wire.ErrNotCanonical},
		{"array head not minimal", `a3 "kind" "value" "shape" 9801 01 "version" 01` + one, wire.ErrNotCanonical},
		{"shape not minimal", `a3 "kind" "value" "shape" 81 1801 "version" 01` + one, wire.ErrNotCanonical},
		{"shape null", `a3 "kind" "value" "shape" f6 "version" 01` + one, wire.ErrNotCanonical},
		{"no dimension", `a3 "kind" "value" "shape" 80 "version" 01` + one, wire.ErrMalformed},
		{"two dimensions", `a3 "kind" "value" "shape" 82 01 01 "version" 01` + one, wire.ErrMalformed},
		{"indefinite map", `bf "kind" "value" "shape" 81 01 "version" 01 ff` + one, wire.ErrMalformed},
		{"indefinite array", `a3 "kind" "value" "shape" 9f 01 ff "version" 01` + one, wire.ErrMalformed},
		{"indefinite text", `a3 "kind" 7f "value" ff "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"keys out of order", `a3 "shape" 81 01 "kind" "value" "version" 01` + one, wire.ErrNotCanonical},
		{"duplicate key", `a4 "kind" "value" "kind" "value" "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"unknown key", `a4 "kind" "value" "more" 01 "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"key in capitals", `a3 "Kind" "value" "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"key a number", `a3 00 "value" "shape" 81 01 "version" 01` + one, wire.ErrMalformed},
		{"an array", `83 "value" 81 01 01` + one, wire.ErrMalformed},
		{"a number", "01", wire.ErrMalformed},
		{"reserved head", "1c", wire.ErrMalformed},
		{"deep nesting", `a3 "kind" "value" "shape" 81 81 81 81 81 81 81 81 81 81 01 "version" 01` + one,
			wire.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := schema.DecodeValue(assemble(t, tt.listing)); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestStrictPayload: payloads that do not fit a well-formed header are refused.
func TestStrictPayload(t *testing.T) {
	transitions := func(shape, payload string) string {
		return `a3 "kind" "transitions" "shape" 84 ` + shape + ` "version" 01 0000000000000000 ` + payload
	}
	const ofOne = "01000000 01000000" + "00000000 00000000" // two rows of an entry of the only feature
	sparse := func(shape, payload string) string {
		return `a3 "kind" "factors" "shape" 84 ` + shape + ` "version" 02 ` + payload
	}
	columns := func(heads, payload string) string { // two columns of three features
		return `a3 "kind" "factors" "shape" 85 02 03 02 02 02 "version" 03 ` + heads + payload
	}
	partial := func(shape, payload string) string {
		return `a3 "kind" "factors" "shape" 87 ` + shape + ` "version" 04 ` + payload
	}
	rows := func(shape, payload string) string {
		return `a3 "kind" "rows" "shape" 83 ` + shape + ` "version" 01 ` + payload
	}
	signedSelection := func(directions, payload string) string {
		return `a3 "kind" "selection" "shape" 81 ` + directions + ` "version" 02 ` + payload
	}
	selection := func(directions, payload string) string {
		return `a3 "kind" "selection" "shape" 81 ` + directions + ` "version" 01 ` + payload
	}
	option := func(j, sign, payload string) string {
		return `a3 "kind" "option" "shape" 83 00 03 02 "version" 01 a4 "j" ` + j + ` "sign" ` + sign + ` "sigma" f90000
			"certificate" a8 "null" f4 "reach" f6 "peak_q" f90000 "acyclic" f5 "longest" 02
			"tolerance" f93800 "initiation" 02 "termination" "proved" ` + payload
	}
	startingIn := func(start, payload string) string { // the policy ends in state 0
		return `a3 "kind" "option" "shape" 83 00 03 02 "version" 01 a5 "j" 01 "sign" 01 "sigma" f90000 "start" ` + start + `
			"certificate" a8 "null" f4 "reach" f6 "peak_q" f90000 "acyclic" f5 "longest" 02
			"tolerance" f93800 "initiation" 02 "termination" "proved" ` + payload
	}
	const (
		zero, two = "0000000000000000", "0000000000000040"
		nan, inf  = "000000000000f87f", "000000000000f0ff"
		count1    = "0100000000000000"
		most      = "ffffffffffffff7f" // 2⁶³ − 1
		none      = "ffffffff"
		rest      = zero + zero + zero + zero + zero + zero // Σ and V of two features
	)
	tests := []struct {
		name    string
		kind    schema.Kind
		listing string
		want    error
	}{
		{"actions as they should be", schema.KindTransitions, transitions("03 02 01 00", "05 03000000 ffffffff"), nil},
		{"padding of actions", schema.KindTransitions, transitions("03 02 01 00", "0d 03000000 ffffffff"),
			wire.ErrNotCanonical},
		{"top padding bit", schema.KindTransitions, transitions("03 02 01 00", "85 03000000 ffffffff"),
			wire.ErrNotCanonical},
		{"action over the arity", schema.KindTransitions, transitions("01 03 01 00", "03 01000000 ffffffff"),
			wire.ErrMalformed},
		{"no actions to take", schema.KindTransitions, transitions("00 00 00 00", ""), wire.ErrMalformed},
		{"arity 128", schema.KindTransitions, transitions("00 1880 00 00", ""), wire.ErrMalformed},
		{"steps over a chunk", schema.KindTransitions, transitions("1a00100001 01 00 00", ""), wire.ErrMalformed},
		{"spans short of the steps", schema.KindTransitions, transitions("03 02 01 00", "05 02000000 ffffffff"),
			wire.ErrMalformed},
		{"spans beyond the steps", schema.KindTransitions, transitions("03 02 01 00", "05 04000000 ffffffff"),
			wire.ErrMalformed},
		{"spans that wrap round", schema.KindTransitions,
			transitions("01 01 02 00", "00 ffffffff 02000000 ffffffff ffffffff"), wire.ErrMalformed},
		{"span of nothing", schema.KindTransitions,
			transitions("01 01 02 00", "00 01000000 00000000 ffffffff ffffffff"), wire.ErrMalformed},
		{"no span for a step", schema.KindTransitions, transitions("01 01 00 00", "00"), wire.ErrMalformed},
		{"option -2", schema.KindTransitions, transitions("01 01 01 00", "00 01000000 feffffff"), wire.ErrMalformed},
		{"episode after the end", schema.KindTransitions, transitions("00 01 00 01", count1+zero), wire.ErrMalformed},
		{"episodes out of order", schema.KindTransitions,
			transitions("01 01 01 02", "00 01000000 ffffffff"+count1+zero+zero+zero), wire.ErrMalformed},
		{"episode twice", schema.KindTransitions, transitions("00 01 00 02", zero+zero+zero+zero), wire.ErrMalformed},

		{"row twice", schema.KindFactors, sparse("02 01 02 02", ofOne+one+one+count1+count1+zero+zero),
			wire.ErrNotCanonical},
		{"V is infinite", schema.KindFactors, sparse("00 01 00 00", zero+inf), wire.ErrNotCanonical},
		{"count of 0", schema.KindFactors, sparse("01 01 00 00", "00000000"+zero+zero+zero), wire.ErrMalformed},
		{"count of -1", schema.KindFactors, sparse("01 01 01 00", "00000000"+"ffffffffffffffff"+zero+zero),
			wire.ErrMalformed},
		{"counts short of the total", schema.KindFactors, sparse("01 01 02 00", "00000000"+count1+zero+zero),
			wire.ErrMalformed},
		{"counts beyond the total", schema.KindFactors,
			sparse("02 01 01 02", ofOne+one+two+count1+count1+zero+zero), wire.ErrMalformed},
		{"counts that wrap round", schema.KindFactors,
			sparse("02 01 01 02", ofOne+one+two+most+"0200000000000080"+zero+zero), wire.ErrMalformed},
		{"counts that wrap round to the total", schema.KindFactors,
			sparse("03 01 01 02", "00000000"+ofOne+one+two+most+most+"0300000000000000"+zero+zero),
			wire.ErrMalformed},
		{"rows as they should be", schema.KindFactors,
			sparse("02 02 02 02", "00000000 02000000 00000000 01000000"+one+two+count1+count1+rest), nil},
		{"features out of order", schema.KindFactors,
			sparse("02 02 02 02", "00000000 02000000 01000000 00000000"+one+two+count1+count1+rest), wire.ErrMalformed},
		{"a feature twice", schema.KindFactors,
			sparse("02 02 02 02", "00000000 02000000 01000000 01000000"+one+two+count1+count1+rest), wire.ErrMalformed},
		{"a feature beyond the last", schema.KindFactors,
			sparse("02 02 02 02", "00000000 02000000 00000000 02000000"+one+two+count1+count1+rest), wire.ErrMalformed},
		{"an entry of 0", schema.KindFactors,
			sparse("02 02 02 02", "00000000 02000000 00000000 01000000"+one+zero+count1+count1+rest), wire.ErrMalformed},
		{"an entry of NaN", schema.KindFactors,
			sparse("02 02 02 02", "00000000 02000000 00000000 01000000"+one+nan+count1+count1+rest), wire.ErrNotCanonical},
		{"a row of more entries than there are", schema.KindFactors,
			sparse("02 02 02 02", "00000000 03000000 00000000 01000000"+one+two+count1+count1+rest), wire.ErrMalformed},
		{"entries of no row", schema.KindFactors,
			sparse("02 02 02 02", "00000000 01000000 00000000 01000000"+one+two+count1+count1+rest), wire.ErrMalformed},
		{"rows out of order", schema.KindFactors,
			sparse("02 02 02 02", "02000000 00000000 00000000 01000000"+one+two+count1+count1+rest), wire.ErrNotCanonical},
		{"columns as they should be", schema.KindFactors,
			columns("00000000 02000000"+"00000000 02000000 00000000 01000000", one+two+count1+count1+rest), nil},
		{"columns out of order", schema.KindFactors,
			columns("02000000 00000000"+"00000000 02000000 00000000 01000000", one+two+count1+count1+rest),
			wire.ErrMalformed},
		{"a column twice", schema.KindFactors,
			columns("02000000 02000000"+"00000000 02000000 00000000 01000000", one+two+count1+count1+rest),
			wire.ErrMalformed},
		{"a column beyond the features", schema.KindFactors,
			columns("00000000 03000000"+"00000000 02000000 00000000 01000000", one+two+count1+count1+rest),
			wire.ErrMalformed},
		{"a column below 0", schema.KindFactors,
			columns("00000000 ffffffff"+"00000000 02000000 00000000 01000000", one+two+count1+count1+rest),
			wire.ErrMalformed},
		{"more columns than features", schema.KindFactors,
			`a3 "kind" "factors" "shape" 85 00 01 00 00 02 "version" 03 00000000 01000000` + rest, wire.ErrMalformed},
		{"no columns", schema.KindFactors,
			`a3 "kind" "factors" "shape" 85 00 01 00 00 00 "version" 03`, wire.ErrMalformed},
		{"partial factors", schema.KindFactors, partial("00 03 00 00 02 01 01", "00000000 02000000"+one+one+zero), nil},
		{"partial factors of all features", schema.KindFactors, partial("00 02 00 00 02 01 00", one+one+zero), nil},
		{"centred factors", schema.KindFactors, partial("00 02 00 00 02 01 02", one+one+zero), nil},
		{"centred factors of columns", schema.KindFactors,
			partial("00 03 00 00 02 01 03", "00000000 02000000"+one+one+zero), nil},
		{"as many directions as columns", schema.KindFactors,
			partial("00 02 00 00 02 02 00", one+zero+one+zero+zero+one), wire.ErrMalformed},
		{"no direction", schema.KindFactors, partial("00 02 00 00 02 00 00", ""), wire.ErrMalformed},
		{"a form that is none", schema.KindFactors, partial("00 02 00 00 02 01 04", one+one+zero), wire.ErrMalformed},
		{"columns that are not named", schema.KindFactors, partial("00 03 00 00 02 01 00", one+one+zero),
			wire.ErrMalformed},
		{"more columns than features of directions", schema.KindFactors,
			partial("00 02 00 00 03 01 01", "00000000 01000000 02000000"+one+one+zero+zero), wire.ErrMalformed},
		{"directions short of V", schema.KindFactors, partial("00 02 00 00 02 01 00", one+one), wire.ErrTruncated},
		{"factors of version 1", schema.KindFactors,
			`a3 "kind" "factors" "shape" 83 00 01 00 "version" 01 ` + zero + zero, wire.ErrVersion},
		{"no dimensions", schema.KindFactors, sparse("00 00 00 00", ""), wire.ErrMalformed},
		{"sigma ascending", schema.KindFactors, sparse("00 02 00 00", one+two+zero+zero+zero+zero),
			wire.ErrNotCanonical},
		{"sigma negative", schema.KindFactors, sparse("00 01 00 00", "000000000000f0bf"+zero), wire.ErrNotCanonical},

		{"selection as it should be", schema.KindSelection, selection("02", two+one+zero+zero+none+none+"50"), nil},
		{"signed selection", schema.KindSelection, signedSelection("02", two+one+zero+zero+none+none+"50"+"02"), nil},
		{"signed selection of nothing", schema.KindSelection, signedSelection("00", ""), wire.ErrNotCanonical},
		{"padding of signs", schema.KindSelection, signedSelection("01", one+zero+none+"00"+"02"), wire.ErrNotCanonical},
		{"selection without its signs", schema.KindSelection, signedSelection("01", one+zero+none+"00"),
			wire.ErrTruncated},
		{"selection of nothing", schema.KindSelection, selection("00", ""), nil},
		{"selected sigma ascending", schema.KindSelection, selection("02", one+two+zero+zero+none+none+"50"),
			wire.ErrNotCanonical},
		{"selected sigma 0", schema.KindSelection, selection("01", zero+zero+none+"00"), nil},
		{"selected sigma -0", schema.KindSelection, selection("01", "0000000000000080"+zero+none+"00"),
			wire.ErrNotCanonical},
		{"number is NaN", schema.KindSelection, selection("01", one+nan+none+"00"), wire.ErrNotCanonical},
		{"nearest is -2", schema.KindSelection, selection("01", one+zero+"feffffff"+"00"), wire.ErrMalformed},
		{"reason 8", schema.KindSelection, selection("01", one+zero+none+"08"), wire.ErrMalformed},
		{"padding of reasons", schema.KindSelection, selection("01", one+zero+none+"10"), wire.ErrNotCanonical},

		{"data as they should be", schema.KindRows, rows("02 01 02", one+two+count1+count1), nil},
		{"no data", schema.KindRows, rows("00 01 00", ""), nil},
		{"data out of order", schema.KindRows, rows("02 01 02", two+one+count1+count1), wire.ErrNotCanonical},
		{"a row of data twice", schema.KindRows, rows("02 01 02", one+one+count1+count1), wire.ErrNotCanonical},
		{"data of -0", schema.KindRows, rows("01 01 01", "0000000000000080"+count1), wire.ErrNotCanonical},
		{"data are NaN", schema.KindRows, rows("01 01 01", nan+count1), wire.ErrNotCanonical},
		{"data count 0", schema.KindRows, rows("01 01 00", one+zero), wire.ErrMalformed},
		{"data short of the total", schema.KindRows, rows("01 01 02", one+count1), wire.ErrMalformed},
		{"data that wrap round", schema.KindRows, rows("03 01 01", zero+one+two+most+most+"0300000000000000"),
			wire.ErrMalformed},
		{"data of no features", schema.KindRows, rows("00 00 00", ""), wire.ErrMalformed},

		{"value is NaN", schema.KindValue, head + nan, wire.ErrNotCanonical},
		{"value is infinite", schema.KindValue, head + inf, wire.ErrNotCanonical},

		{"policy as it should be", schema.KindOption, option("01", "20", "24 06"), nil},
		{"starts where the policy ends", schema.KindOption, option("01", "20", "24 07"), wire.ErrMalformed},
		{"does not start where the policy acts", schema.KindOption, option("01", "20", "24 02"), wire.ErrMalformed},
		{"padding of the policy", schema.KindOption, option("01", "20", "64 06"), wire.ErrNotCanonical},
		{"padding of I", schema.KindOption, option("01", "20", "24 0e"), wire.ErrNotCanonical},
		{"action over the option's arity", schema.KindOption, option("01", "20", "3c 06"), wire.ErrMalformed},
		{"a start", schema.KindOption, startingIn("02", "24 04"), nil},
		{"a start in which the policy ends", schema.KindOption, startingIn("00", "24 00"), nil},
		{"a start in which the policy ends, in I", schema.KindOption, startingIn("00", "24 01"), wire.ErrMalformed},
		{"a start that is not in I", schema.KindOption, startingIn("02", "24 00"), wire.ErrMalformed},
		{"a start, and another state in I", schema.KindOption, startingIn("02", "24 06"), wire.ErrMalformed},
		{"a start that is no state", schema.KindOption, startingIn("03", "24 00"), wire.ErrMalformed},
		{"a start below 0", schema.KindOption, startingIn("20", "24 00"), wire.ErrMalformed},
		{"a start beyond int", schema.KindOption, startingIn("1bffffffffffffffff", "24 00"), wire.ErrMalformed},
		{"a start of null", schema.KindOption, startingIn("f6", "24 06"), wire.ErrNotCanonical},
		{"direction 0", schema.KindOption, option("00", "20", "24 06"), wire.ErrMalformed},
		{"direction -1", schema.KindOption, option("20", "20", "24 06"), wire.ErrMalformed},
		{"sign 0", schema.KindOption, option("01", "00", "24 06"), wire.ErrMalformed},
		{"sign 2", schema.KindOption, option("01", "02", "24 06"), wire.ErrMalformed},

		{"length as a double", schema.KindMeasures, measures("fb3fe0000000000000", "05"), wire.ErrNotCanonical},
		{"length is NaN", schema.KindMeasures, measures("f97e00", "05"), wire.ErrMalformed},
		{"length is infinite", schema.KindMeasures, measures("f97c00", "05"), wire.ErrMalformed},
		{"length an integer", schema.KindMeasures, measures("01", "05"), wire.ErrNotCanonical},
		{"length undefined", schema.KindMeasures, measures("f7", "05"), wire.ErrNotCanonical},
		{"states over int64", schema.KindMeasures, measures("f6", "1bffffffffffffffff"), wire.ErrMalformed},
		{"states null", schema.KindMeasures, measures("f6", "f6"), wire.ErrNotCanonical},
		{"a measure of a wrong name", schema.KindExternalMeasures, external(`a1 "Score" f6`), wire.ErrMalformed},
		{"a measure without a name", schema.KindExternalMeasures, external(`a1 "" f6`), wire.ErrMalformed},
		{"a measure of -0", schema.KindExternalMeasures, external(`a1 "score" f9 8000`), wire.ErrMalformed},
		{"a measure of NaN", schema.KindExternalMeasures, external(`a1 "score" f9 7e00`), wire.ErrMalformed},
		{"a measure twice", schema.KindExternalMeasures, external(`a2 "score" f6 "score" f6`), wire.ErrMalformed},
		{"measures in another order", schema.KindExternalMeasures, external(`a2 "b" f6 "a" f6`), wire.ErrNotCanonical},
		{"a whole number", schema.KindExternalMeasures, external(`a1 "score" 01`), wire.ErrNotCanonical},
		{"no measures", schema.KindExternalMeasures, external(`a0`), nil},
		{"measures as they should be", schema.KindMeasures, measures("f6", "05"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := decoderOf(t, tt.kind)(assemble(t, tt.listing)); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// external returns a listing of external measures.
func external(payload string) string {
	return `a3 "kind" "external_measures" "shape" 80 "version" 01 ` + payload
}

// measures returns a listing with two of its values chosen.
func measures(length, states string) string {
	return `a3 "kind" "measures" "shape" 80 "version" 01
		ab "calls" 00 "final" f6 "reach" f6 "options" 00 "distance" f6 "purposes" 00 "available" 00
		"truncated" 00 "option_length" ` + length + ` "states_visited" ` + states + ` "distance_one_sided" f6`
}

// TestStrictSpec: encoded specs that are not canonical are refused.
func TestStrictSpec(t *testing.T) {
	tests := []struct {
		name    string
		listing string
		want    error
	}{
		{"unknown field", "a1 \"more\" 01", wire.ErrMalformed},
		{"fields missing", "a1 \"seed\" 01", wire.ErrNotCanonical},
		{"empty", "a0", wire.ErrNotCanonical},
		{"null", "f6", wire.ErrNotCanonical},
		{"duplicate", "a2 \"seed\" 01 \"seed\" 01", wire.ErrMalformed},
		{"NaN", "a1 \"kappa\" f97e00", wire.ErrMalformed},
		{"data null", strings.Replace(dataListing, dataBytes, "f6", 1), wire.ErrNotCanonical},
		{"data of zeros", strings.Replace(dataListing, dataBytes, "5820"+strings.Repeat("00", 32), 1),
			wire.ErrNotCanonical},
		{"data of 31 bytes", strings.Replace(dataListing, dataBytes, "581f"+strings.Repeat("01", 31), 1),
			wire.ErrNotCanonical},
		{"data of 33 bytes", strings.Replace(dataListing, dataBytes, "5821"+strings.Repeat("01", 33), 1),
			wire.ErrNotCanonical},
		{"data as text", strings.Replace(dataListing, dataBytes, `"rows"`, 1), wire.ErrMalformed},
	}
	for _, tt := range tests {
		if _, err := decodeSpec(assemble(t, tt.listing)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestHugeShapes: a record that declares more than it holds is refused before
// anything is allocated for it.
func TestHugeShapes(t *testing.T) {
	const huge = "1b8000000000000000" // 2⁶³
	const most = "1bffffffffffffffff" // 2⁶⁴ − 1
	const meta = `a4 "j" 01 "sign" 01 "sigma" f90000
		"certificate" a8 "null" f4 "reach" f6 "peak_q" f90000 "acyclic" f5 "longest" 00
		"tolerance" f90000 "initiation" 00 "termination" "proved" `
	shapes := map[schema.Kind][]string{
		schema.KindObservations: {"# 01 01 00", "00 # 01 00", "00 01 # 01", "00 01 01 #", "00 1a00200001 1a00100000 02",
			"# # # #"},
		schema.KindTransitions: {"# 01 00 00", "1a00100000 01 00 00", "00 # 00 00", "00 01 # 00", "00 01 00 #",
			"# # # #"},
		schema.KindRewards: {"# 01", "# 00", "1a00100000 01", "00 #", "# #"},
		schema.KindRows: {"# 01 00", "00 # 00", "01 1a00100000 01", "1b0000010000000000 1a00100000 00", "00 01 #",
			"# # #"},
		schema.KindFactors: {"# 01 00 00", "00 # 00 00", "01 1a00100000 01 00", "1b0000010000000000 1a00100000 00 00",
			"00 01 # 00", "01 01 01 #", "# # # #"},
		schema.KindSelection: {"#", "1a00100001"},
		schema.KindValue:     {"#"},
		schema.KindTheta:     {"# 01", "01 #", "# #", "187f 1a00100001", "00 01", "01 00"},
		schema.KindOption:    {"# 01 01", "1a00100000 01 01", "00 # 01", "00 01 #", "# # #"},
	}
	for kind, list := range shapes {
		decode := decoderOf(t, kind)
		for _, shape := range list {
			for _, number := range []string{huge, most} {
				dims := map[schema.Kind]string{
					schema.KindObservations: "84", schema.KindTransitions: "84", schema.KindRewards: "82",
					schema.KindRows:    "83",
					schema.KindFactors: "84", schema.KindSelection: "81",
					schema.KindValue: "81", schema.KindTheta: "82", schema.KindOption: "83",
				}[kind]
				payload := zeros(64)
				if kind == schema.KindOption {
					payload = append(assemble(t, meta), payload...)
				}
				record := append(assemble(t, `a3 "kind" "`+string(kind)+`" "shape" `+dims+" "+
					strings.ReplaceAll(shape, "#", number)+` "version" `+lowestVersion(kind)), payload...)
				allocated := allocation(func() {
					if _, err := decode(record); !errors.Is(err, wire.ErrTruncated) &&
						!errors.Is(err, wire.ErrMalformed) {
						t.Errorf("%s of shape %s: %v, want ErrTruncated or ErrMalformed", kind, shape, err)
					}
				})
				if allocated > 1<<16 {
					t.Errorf("%s of shape %s: %d bytes allocated", kind, shape, allocated)
				}
			}
		}
	}
}

func zeros(n int) []byte { return make([]byte, n) }

// allocation returns the number of bytes that f allocates.
func allocation(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestEpisodesBeyondTheSteps claims more episodes than follow, in a chunk that
// holds as many as it can.
func TestEpisodesBeyondTheSteps(t *testing.T) {
	x := schema.Transitions{Arity: 1, Actions: make([]uint8, schema.ChunkSteps),
		Spans: []schema.Span{{Steps: schema.ChunkSteps, Option: schema.Primitive}}}
	for step := range uint64(schema.ChunkSteps + 1) {
		x.Episodes = append(x.Episodes, schema.Episode{Step: step})
	}
	record, err := x.Encode()
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.LastIndex(record[:64], assemble(t, "1a00100001"))
	copy(record[head:], assemble(t, "1aff100001"))
	if _, err := schema.DecodeTransitions(record); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("%v, want ErrMalformed", err)
	}
}

// TestEncodeRefuses is given values that no decoder would return.
func TestEncodeRefuses(t *testing.T) {
	one := []schema.Span{{Steps: 2, Option: schema.Primitive}}
	for name, encode := range map[string]func() ([]byte, error){
		"an action beyond the arity": schema.Transitions{Arity: 2, Actions: []uint8{3, 0}, Spans: one}.Encode,
		"a policy beyond the arity":  schema.Option{Arity: 2, Policy: []int8{2}}.Encode,
		"weights of other actions":   schema.Theta{Actions: 2, Width: 2, Weights: []float64{1}}.Encode,
		"a number beyond the size":   schema.Observations{Kind: schema.Discrete, Dims: 2, Numbers: []uint32{2}}.Encode,
		"half an observation":        schema.Observations{Kind: schema.Binary, Dims: 2, Bits: []uint8{1}}.Encode,
		"observations of two kinds": schema.Observations{Kind: schema.Binary, Dims: 1, Bits: []uint8{1},
			Values: []float64{1}}.Encode,
		"observations of no kind": schema.Observations{Dims: 1, Values: []float64{1}}.Encode,
		"rows of other lengths":   schema.Rows{Dims: 2, Rows: []float64{1}, Counts: []int64{1}}.Encode,
		"centred factors of all directions": schema.Factors{Dims: 1, Sigma: []float64{0}, V: []float64{1},
			Centred: true}.Encode,
		"factors of no direction":  schema.Factors{Dims: 1}.Encode,
		"factors of other lengths": schema.Factors{Dims: 2, Rows: make([]schema.SparseRow, 1), Counts: []int64{1}}.Encode,
		"a feature beyond the last": schema.Factors{Dims: 1, Rows: []schema.SparseRow{{{Feature: 1, Value: 1}}},
			Counts: []int64{1}, Sigma: []float64{0}, V: []float64{1}}.Encode,
	} {
		if b, err := encode(); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %x, %v, want ErrMalformed", name, b, err)
		}
	}
}
