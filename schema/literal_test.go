package schema_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// paper returns the spec of the paper's experiment, written out.
func paper() schema.Spec {
	return schema.Spec{
		Numerics:  schema.NumericsVersion,
		Env:       schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 12, "hide": 0}},
		Seed:      0,
		Steps:     1000,
		Kappa:     1,
		Gamma:     0.99,
		Sweeps:    100,
		Tolerance: 1e-9,
		Basis:     "right-singular",
		Dataset:   "iteration",
		Select:    "threshold",
		Learner:   "sweeps",
	}
}

// paperListing is the canonical CBOR of paper, keys in bytewise order.
const paperListing = `
	ac                                       # 12 pairs
	"env" a3 "name" "ring"
		"params" a2 "bits" 0c "hide" 00
		"version" 01
	"seed" 00
	"basis" "right-singular"
	"gamma" fb 3fefae147ae147ae              # 0.99 needs all 64 bits
	"kappa" f9 3c00                          # 1 is a half
	"steps" 19 03e8
	"select" "threshold"
	"sweeps" 18 64
	"dataset" "iteration"
	"learner" "sweeps"
	"numerics" 02
	"tolerance" fb 3e112e0be826d695`

// dataBytes are the digest 01 02 … 20 as a byte string.
const dataBytes = "5820 0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"

// dataListing is that of the paper's spec with data.
var dataListing = strings.NewReplacer("ac  ", "ad  ", `"seed" 00`,
	`"data" `+dataBytes+` "seed" 00`).Replace(paperListing)

// encodingOptions is a value of any of the kinds.
type encodingOptions interface{ Encode() ([]byte, error) }

// literals are small records with their bytes as FORMAT has them, assembled by
// hand, and their names: sha256sum of those bytes.
var literals = []struct {
	kind    schema.Kind
	value   encodingOptions
	decode  func([]byte) (any, error)
	listing string
	name    string
}{
	{
		kind:   schema.KindObservations,
		value:  schema.Observations{First: 3, Kind: schema.Discrete, Dims: 9, Numbers: []uint32{8, 0}},
		decode: func(b []byte) (any, error) { return schema.DecodeObservations(b) },
		listing: `
			a3 "kind" "observations" "shape" 84 03 02 09 00 "version" 01
			08000000 00000000`,
		name: "a8ad1196b14160df1a6d29f5d73483db866aeec1408673dcec9ef80a746be972",
	},
	{
		kind:   schema.KindObservations,
		value:  schema.Observations{Kind: schema.Binary, Dims: 5, Bits: []uint8{1, 0, 0, 1, 1, 0, 1, 0, 0, 0}},
		decode: func(b []byte) (any, error) { return schema.DecodeObservations(b) },
		listing: `
			a3 "kind" "observations" "shape" 84 00 02 05 01 "version" 01
			59 00                              # lowest first: 10011 010, 00`,
		name: "720b8031971a88c4d3de4360e119ab4f7cf4c0abcef0bb30f0ba1de1ea1fc9c3",
	},
	{
		kind:   schema.KindObservations,
		value:  schema.Observations{First: 1, Kind: schema.Real, Dims: 2, Values: []float64{0.5, -1}},
		decode: func(b []byte) (any, error) { return schema.DecodeObservations(b) },
		listing: `
			a3 "kind" "observations" "shape" 84 01 01 02 02 "version" 01
			000000000000e03f 000000000000f0bf`,
		name: "f70fe5f0227c31c80488ec48ea2d03500442603cff167e8f8c249232719aff96",
	},
	{
		kind: schema.KindTransitions,
		value: schema.Transitions{
			Start: 258, Arity: 3, Actions: []uint8{0, 1, 2, 2, 1},
			Spans:    []schema.Span{{Steps: 2, Option: -1}, {Steps: 3, Option: 7}},
			Episodes: []schema.Episode{{Step: 4, State: 9}},
		},
		decode: func(b []byte) (any, error) { return schema.DecodeTransitions(b) },
		listing: `
			a3 "kind" "transitions" "shape" 84 05 03 02 01 "version" 01
			0201000000000000                   # start
			a4 01                              # 2 bits an action, lowest first: 10 10 01 00, 01
			02000000 03000000                  # span lengths
			ffffffff 07000000                  # span options
			0400000000000000 0900000000000000  # episode: step, state`,
		name: "36becfdbdabc4fd7974ee9ab015adb3b51d823079829f4fb993d46716e6eabfa",
	},
	{
		kind: schema.KindTransitions,
		value: schema.Transitions{
			Start: 258, Arity: 3, Actions: []uint8{0, 1},
			Spans:    []schema.Span{{Steps: 2, Option: -1}},
			Next:     []uint32{7, 260},
			Episodes: []schema.Episode{{Step: 1, State: 9}, {Step: 2, State: 258, Terminated: true}},
		},
		decode: func(b []byte) (any, error) { return schema.DecodeTransitions(b) },
		listing: `
			a3 "kind" "transitions" "shape" 84 02 03 01 02 "version" 02
			0201000000000000                   # start
			04                                 # 2 bits an action, lowest first: 00 01
			02000000 ffffffff                  # span length, span option
			07000000 04010000                  # states after the steps
			0100000000000000 0900000000000000  # episodes: step, state
			0200000000000000 0201000000000000
			02                                 # which of them were terminated: 0, 1`,
		name: "1a1ab0cd2a04527fcf75c8bd9079b71c8ccef71f13c27223701a55ce333be31b",
	},
	{
		kind:   schema.KindRewards,
		value:  schema.Rewards{-1, -1, 0, 20, -1},
		decode: func(b []byte) (any, error) { return schema.DecodeRewards(b) },
		listing: `
			a3 "kind" "rewards" "shape" 82 05 03 "version" 01
			000000000000f0bf 0000000000000000 0000000000003440
			90 00                              # 2 bits a step, lowest first: 00 00 01 10, 00`,
		name: "3ff6729f5ef51f79ec497468893a5dab5769f02615db2b0f0131076c790edd18",
	},
	{
		kind:   schema.KindRows,
		value:  schema.Rows{Dims: 2, Total: 259, Rows: []float64{-1, 0, 0.5, 2}, Counts: []int64{1, 258}},
		decode: func(b []byte) (any, error) { return schema.DecodeRows(b) },
		listing: `
			a3 "kind" "rows" "shape" 83 02 02 190103 "version" 01
			000000000000f0bf 0000000000000000  # the rows
			000000000000e03f 0000000000000040
			0100000000000000 0201000000000000  # their counts`,
		name: "58722d2634b6d3e0cb3683737f78267d462a4e84c987557249376e4e41d90aa2",
	},
	{
		kind: schema.KindFactors,
		value: schema.Factors{
			Dims: 2, Total: 3, Rows: schema.NewSparseRows(2, []float64{-1, 0, 1, 2}), Counts: []int64{2, 1},
			Sigma: []float64{2, 0}, V: []float64{1, 0, 0, 1},
		},
		decode: func(b []byte) (any, error) { return schema.DecodeFactors(b) },
		listing: `
			a3 "kind" "factors" "shape" 84 02 02 03 03 "version" 02
			01000000 02000000                                                   # entries of each row
			00000000 00000000 01000000                                          # their features
			000000000000f0bf 000000000000f03f 0000000000000040                  # their values
			0200000000000000 0100000000000000                                   # counts
			0000000000000040 0000000000000000                                   # sigma
			000000000000f03f 0000000000000000 0000000000000000 000000000000f03f # V`,
		name: "c863363179cbb6dd7af7dd8102ce1212c09ea6aff2e5cf4b706810937fa8adca", // sha256sum of those bytes
	},
	{
		kind: schema.KindFactors,
		value: schema.Factors{
			Dims: 2, Total: 3, Rows: schema.NewSparseRows(2, []float64{-1, 0, 1, 2}), Counts: []int64{2, 1},
			Sigma: []float64{2, 0}, V: []float64{1, 0, 0, 1}, Columns: []int32{3, 258}, AllFeatures: 4096,
		},
		decode: func(b []byte) (any, error) { return schema.DecodeFactors(b) },
		listing: `
			a3 "kind" "factors" "shape" 85 02 191000 03 03 02 "version" 03
			03000000 02010000                                                   # features of the columns
			01000000 02000000                                                   # entries of each row
			00000000 00000000 01000000                                          # their columns
			000000000000f0bf 000000000000f03f 0000000000000040                  # their values
			0200000000000000 0100000000000000                                   # counts
			0000000000000040 0000000000000000                                   # sigma
			000000000000f03f 0000000000000000 0000000000000000 000000000000f03f # V`,
		name: "6517c912f80589a2cc663e29b2137de23c42f77f8332d01c10c46d9dcf52fbcc", // sha256sum of those bytes
	},
	{
		kind: schema.KindFactors,
		value: schema.Factors{
			Dims: 2, Total: 2, Rows: schema.NewSparseRows(2, []float64{1, 2, 2, 1}), Counts: []int64{1, 1},
			Sigma: []float64{1}, V: []float64{1, -1}, Centred: true,
		},
		decode: func(b []byte) (any, error) { return schema.DecodeFactors(b) },
		listing: `
			a3 "kind" "factors" "shape" 87 02 02 02 04 02 01 02 "version" 04
			02000000 02000000                                                   # entries of each row
			00000000 01000000 00000000 01000000                                 # their features
			000000000000f03f 0000000000000040 0000000000000040 000000000000f03f # their values
			0100000000000000 0100000000000000                                   # counts
			000000000000f03f                                                    # sigma
			000000000000f03f 000000000000f0bf                                   # V`,
		name: "2dc60aab3401395f8f96822829c15c88b85463c679be22bdd831b74e60d99605", // sha256sum of those bytes
	},
	{
		kind: schema.KindSelection,
		value: schema.Selection{Directions: []schema.Direction{
			{Sigma: 2, Reason: schema.Kept, Number: 0.5, Nearest: 258},
			{Sigma: 1, Reason: schema.Known, Number: 1, Nearest: schema.NoOption},
		}},
		decode: func(b []byte) (any, error) { return schema.DecodeSelection(b) },
		listing: `
			a3 "kind" "selection" "shape" 81 02 "version" 01
			0000000000000040 000000000000f03f # sigma
			000000000000e03f 000000000000f03f # numbers
			02010000 ffffffff                 # nearest
			50                                # 4 bits a reason: 0 5`,
		name: "21a2ac7acdd0fc5ef7700756b00b282043d1ab0db5912f0008c85092ee588644",
	},
	{
		kind: schema.KindSelection,
		value: schema.Selection{Directions: []schema.Direction{
			{Sigma: 2, Reason: schema.Kept, Nearest: schema.NoOption, Sign: 1},
			{Sigma: 1, Reason: schema.Kept, Nearest: schema.NoOption, Sign: -1},
		}},
		decode: func(b []byte) (any, error) { return schema.DecodeSelection(b) },
		listing: `
			a3 "kind" "selection" "shape" 81 02 "version" 02
			0000000000000040 000000000000f03f # sigma
			0000000000000000 0000000000000000 # numbers
			ffffffff ffffffff                 # nearest
			00                                # 4 bits a reason
			02                                # 1 bit a sign: + −`,
		name: "dbc86ac82d6726893c00bc318ec981be651e2d9abcc1c0b8baa80ed10ed07d32", // sha256sum of those bytes
	},
	{
		kind:   schema.KindValue,
		value:  schema.Value{0, 1},
		decode: func(b []byte) (any, error) { return schema.DecodeValue(b) },
		listing: `
			a3 "kind" "value" "shape" 81 02 "version" 01
			0000000000000000 000000000000f03f`,
		name: "871887873092bb85d24b3a553e084b5eb9663e94d0f250a4f09847b00f157865",
	},
	{
		kind:   schema.KindTheta,
		value:  schema.Theta{Actions: 1, Width: 2, Weights: []float64{1, -0.5}},
		decode: func(b []byte) (any, error) { return schema.DecodeTheta(b) },
		listing: `
			a3 "kind" "theta" "shape" 82 01 02 "version" 01
			000000000000f03f 000000000000e0bf`,
		name: "94859eb9766c79fd4123df479d804d55261f23de3a34af648b62f1e056562da3",
	},
	{
		kind: schema.KindOption,
		value: schema.Option{
			Purpose: schema.Purpose{J: 1, Sign: -1, Sigma: 2, Vector: []float64{-1}},
			Arity:   2, Policy: []int8{schema.Terminate, 0, 1},
			Certificate: schema.Certificate{
				Termination: schema.Proved, Acyclic: true, Longest: 2, Reach: new(1.5), Initiation: 2, Tolerance: 0.5,
			},
		},
		decode: func(b []byte) (any, error) { return schema.DecodeOption(b) },
		listing: `
			a3 "kind" "option" "shape" 83 01 03 02 "version" 01
			a4 "j" 01 "sign" 20 "sigma" f9 4000
			"certificate" a8 "null" f4 "reach" f9 3e00 "peak_q" f9 0000 "acyclic" f5 "longest" 02
				"tolerance" f9 3800 "initiation" 02 "termination" "proved"
			000000000000f0bf                   # vector
			24                                 # 2 bits a state: 10 01 00
			06                                 # 1 bit a state: 1 1 0`,
		name: "5abdbd67d668b70f905eff291dceaa4a419217f782e08185df18ab29f1c3de26",
	},
	{
		kind: schema.KindOption,
		value: schema.Option{
			Purpose: schema.Purpose{J: 1, Sign: -1, Sigma: 2, Vector: []float64{-1}, Start: new(1)},
			Arity:   2, Policy: []int8{schema.Terminate, 0, 1},
			Certificate: schema.Certificate{
				Termination: schema.Proved, Acyclic: true, Longest: 2, Reach: new(2.0), Initiation: 1, Tolerance: 0.5,
			},
		},
		decode: func(b []byte) (any, error) { return schema.DecodeOption(b) },
		listing: `
			a3 "kind" "option" "shape" 83 01 03 02 "version" 01
			a5 "j" 01 "sign" 20 "sigma" f9 4000 "start" 01
			"certificate" a8 "null" f4 "reach" f9 4000 "peak_q" f9 0000 "acyclic" f5 "longest" 02
				"tolerance" f9 3800 "initiation" 01 "termination" "proved"
			000000000000f0bf                   # vector
			24                                 # 2 bits a state: 10 01 00
			02                                 # 1 bit a state: 0 1 0`,
		name: "a51c9d6f16fce029cdaa0194926f7d01b775261a42e82935f940a255ebe02a65",
	},
	{
		kind: schema.KindMeasures,
		value: schema.Measures{
			Purposes: 1, Options: 2, Available: 3, Calls: 4, Truncated: 5, OptionLength: new(0.5),
			Distance: new(int64(6)), Final: new(int64(7)), StatesVisited: 24,
		},
		decode: func(b []byte) (any, error) { return schema.DecodeMeasures(b) },
		listing: `
			a3 "kind" "measures" "shape" 80 "version" 01
			ab "calls" 04 "final" 07 "reach" f6 "options" 02 "distance" 06 "purposes" 01 "available" 03
			"truncated" 05 "option_length" f9 3800 "states_visited" 18 18 "distance_one_sided" f6`,
		name: "06acc6530f43ef368ca985b77e7c8918e1fd021418b5028dacf3913d2b0bf2f2",
	},
	{
		kind:   schema.KindExternalMeasures,
		value:  schema.ExternalMeasures{"loss": nil, "a_score": new(0.5)},
		decode: func(b []byte) (any, error) { return schema.DecodeExternalMeasures(b) },
		listing: `
			a3 "kind" "external_measures" "shape" 80 "version" 01
			a2 "loss" f6 "a_score" f9 3800`,
		name: "2c4384a720c29ea79f474644714178b5cd6417ea1681dd29649ee962f07fa55d",
	},
}

// TestRecordBytes pins the format itself: what a record of each kind looks like.
func TestRecordBytes(t *testing.T) {
	for _, tt := range literals {
		t.Run(string(tt.kind), func(t *testing.T) {
			want := assemble(t, tt.listing)
			got, err := tt.value.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("encoded\n%x, want\n%x", got, want)
			}
			if name := schema.Name(got).String(); name != tt.name {
				t.Errorf("name %s, want %s", name, tt.name)
			}
			back, err := tt.decode(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(tt.value), back); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLiteralsCoverKinds keeps the table above complete.
func TestLiteralsCoverKinds(t *testing.T) {
	var kinds []schema.Kind
	for _, tt := range literals {
		kinds = append(kinds, tt.kind)
	}
	if diff := cmp.Diff(schema.Kinds, slices.Compact(kinds)); diff != "" {
		t.Errorf("kinds (-known +pinned):\n%s", diff)
	}
}

// TestSpecBytes pins what a run's ID is made of. A spec without data has no key for them, as specs had before
// imports existed.
func TestSpecBytes(t *testing.T) {
	given := paper()
	for i := range given.Data {
		given.Data[i] = byte(i + 1)
	}
	for listing, spec := range map[string]schema.Spec{paperListing: paper(), dataListing: given} {
		if err := spec.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := wire.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		if want := assemble(t, listing); !bytes.Equal(got, want) {
			t.Errorf("encoded\n%x, want\n%x", got, want)
		}
	}
}

// TestDataDigest: by hand, of the domain, an array of one pair, a text and 32
// bytes.
func TestDataDigest(t *testing.T) {
	entry := schema.Entry{Kind: schema.KindRows, Name: schema.Digest{0: 7}}
	got, err := schema.DataDigest([]schema.Entry{entry})
	if err != nil {
		t.Fatal(err)
	}
	bytes := append([]byte("podtrack/data/1"), assemble(t, `81 82 "rows" 5820 07`+strings.Repeat("00", 31))...)
	if want := schema.Name(bytes); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// assemble makes bytes of a listing: words in hexadecimal, and "text" for a
// CBOR text string of under 24 bytes with its head. What follows a # is a
// comment.
func assemble(t testing.TB, listing string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(listing) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			if text, ok := strings.CutPrefix(word, `"`); ok {
				text = strings.TrimSuffix(text, `"`)
				out = append(append(out, 0x60+byte(len(text))), text...)
				continue
			}
			b, err := hex.DecodeString(word)
			if err != nil {
				t.Fatalf("listing: %q: %v", word, err)
			}
			out = append(out, b...)
		}
	}
	return out
}
