package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// fuzzDecode checks that decode does not panic, and that the value of every accepted record encodes to the same
// bytes.
func fuzzDecode[T any](f *testing.F, decode func([]byte) (T, error), encode func(T) ([]byte, error)) {
	for _, l := range literals {
		f.Add(assemble(f, l.listing))
	}
	f.Add(assemble(f, paperListing))
	f.Add(assemble(f, dataListing))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode(b)
		if err != nil {
			return
		}
		again, err := encode(v)
		if err != nil {
			t.Fatalf("%+v was decoded and does not encode: %v", v, err)
		}
		if !bytes.Equal(again, b) {
			t.Fatalf("%x decodes to %+v, which encodes to %x", b, v, again)
		}
	})
}

func FuzzDecodeTransitions(f *testing.F) {
	fuzzDecode(f, schema.DecodeTransitions, schema.Transitions.Encode)
}

func FuzzDecodeRewards(f *testing.F) {
	fuzzDecode(f, schema.DecodeRewards, schema.Rewards.Encode)
}

func FuzzDecodeRows(f *testing.F) {
	fuzzDecode(f, schema.DecodeRows, schema.Rows.Encode)
}

func FuzzDecodeFactors(f *testing.F) {
	fuzzDecode(f, schema.DecodeFactors, schema.Factors.Encode)
}

func FuzzDecodeSelection(f *testing.F) {
	fuzzDecode(f, schema.DecodeSelection, schema.Selection.Encode)
}

func FuzzDecodeOption(f *testing.F) {
	fuzzDecode(f, schema.DecodeOption, schema.Option.Encode)
}

func FuzzDecodeValue(f *testing.F) {
	fuzzDecode(f, schema.DecodeValue, schema.Value.Encode)
}

func FuzzDecodeObservations(f *testing.F) {
	fuzzDecode(f, schema.DecodeObservations, schema.Observations.Encode)
}

func FuzzDecodeTheta(f *testing.F) {
	fuzzDecode(f, schema.DecodeTheta, schema.Theta.Encode)
}

func FuzzDecodeMeasures(f *testing.F) {
	fuzzDecode(f, schema.DecodeMeasures, schema.Measures.Encode)
}

func FuzzSpecCBOR(f *testing.F) {
	fuzzDecode(f, decodeSpec, encodeSpec)
}

// FuzzSpecJSON: JSON has many forms of one spec. Every spec that is read is printed as a document that is read
// as the same spec, with the same ID if it is valid.
func FuzzSpecJSON(f *testing.F) {
	document, err := json.Marshal(paper())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(document)
	f.Add([]byte(`{"seed": 18446744073709551615, "kappa": -0.0, "env": {"params": {"bits": -1}}}`))
	f.Add([]byte(`{} {}`))
	f.Add([]byte(`{"data": "0000000000000000000000000000000000000000000000000000000000000001"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s schema.Spec
		if s.ReadJSON(bytes.NewReader(b)) != nil {
			return
		}
		printed, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back schema.Spec
		if err := back.ReadJSON(bytes.NewReader(printed)); err != nil {
			t.Fatalf("%s was printed and is not read: %v", printed, err)
		}
		if again, err := json.Marshal(back); err != nil || !bytes.Equal(again, printed) {
			t.Fatalf("%s reads as %s, %v", printed, again, err)
		}
		if s.Validate() != nil {
			return
		}
		if err := back.Validate(); err != nil || runID(t, s, nil) != runID(t, back, nil) {
			t.Fatalf("%s is another run than what was read: %v", printed, err)
		}
	})
}
