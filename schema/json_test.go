package schema

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSpecJSON: documents that encoding/json would take for a spec, and which of their keys are wrong.
func TestSpecJSON(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                                   "not an object",
		`[]`:                                     "not an object",
		` `:                                      "it is empty",
		`{"seed":1,"seed":2}`:                    `"seed" stands there twice`,
		`{"seed":1,"s\u0065ed":2}`:               `"seed" stands there twice`,
		`{"Seed":1}`:                             `the key "Seed", which is written "seed"`,
		`{"env":{"name":"ring","Name":"taxi"}}`:  `the key "Name", which is written "name"`,
		`{"env":{"name":"ring","name":"taxi"}}`:  `"name" stands there twice`,
		`{"env":{"params":{"Bits":3,"bits":4}}}`: "",
		`{"env":{"params":{"bits":3,"bits":4}}}`: `"bits" stands there twice`,
		`{"moon":1}`:                             `unknown field "moon"`,
		`{"seed":1`:                              "the JSON document ends before it is complete",
		`{"seed":1} {}`:                          "something follows the JSON document",
		`{"seed":1}]`:                            "something follows the JSON document",
		"{\"basis\":\"\xff\"}":                   "not UTF-8",
		`{"basis":"\ud800"}`:                     "half of a character",
		`{"env":{"text":{"\udfff":""}}}`:         "half of a character",
		`{"env":{"text":{"\ud83d\ude00\uFFFD\ufffd\n":""}}}`: "",
		`{"env":{"text":{"\\ufffd":""}}}`:                    "",
		`{"seed":1.5}`:                                       "a whole number in digits",
		" {\"seed\" :\t1 }\n":                                "",
	} {
		var spec Spec
		err := spec.ReadJSON(strings.NewReader(text))
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrSpec) || Remedy(err) == "" ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v with remedy %q, want %q", text, err, Remedy(err), want)
		}
	}
}

// FuzzDecodeJSON: the scan of keys ends for whatever is JSON, and agrees with one by tokens about keys that stand there
// twice.
func FuzzDecodeJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null,"c":"\""}],"d":{}}`, `[[],[{}]]`, `{"a":1,"a":2}`, `"x"`, `1e3 `,
		`{"a":{"b":[{"c":1,"c":2}]}}`, `{"":0,"\\":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		err := DecodeJSON(data, &v)
		twice := strings.Contains(fmt.Sprint(err), "stands there twice")
		if err != nil && !twice {
			return // a number is too large, or a text is no UTF-8
		}
		if !json.Valid(data) || twice != hasKeyTwice(t, data) {
			t.Errorf("%q: %v", data, err)
		}
	})
}

// hasKeyTwice reports by tokens whether an object in JSON has a key twice.
func hasKeyTwice(t *testing.T, data []byte) bool {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	type level struct {
		keys   map[string]bool // nil in a list
		isName bool            // the next token is a key
	}
	levels := []level{{}}
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		top := &levels[len(levels)-1]
		switch delimiter, _ := token.(json.Delim); {
		case delimiter == '}' || delimiter == ']':
			levels = levels[:len(levels)-1]
			continue
		case top.isName:
			key := token.(string)
			if top.keys[key] {
				return true
			}
			top.keys[key], top.isName = true, false
			continue
		default:
			top.isName = top.keys != nil
			if delimiter == '{' {
				levels = append(levels, level{keys: map[string]bool{}, isName: true})
			} else if delimiter == '[' {
				levels = append(levels, level{})
			}
		}
	}
}

// TestManyKeys: an object of very many keys takes time that grows with their number.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	var v map[string]int
	if err := DecodeJSON([]byte("{"+b.String()[1:]+"}"), &v); err != nil || len(v) != 200_000 {
		t.Fatalf("%d keys: %v", len(v), err)
	}
	err := DecodeJSON([]byte("{"+b.String()[1:]+`,"k7":2}`), &v)
	if err == nil || errors.Is(err, ErrTrailing) || !strings.Contains(err.Error(), `"k7" stands there twice`) {
		t.Error(err)
	}
}

// TestList: a list of structs takes no memory for elements that its bytes cannot be, and reads the others.
func TestList(t *testing.T) {
	type holder struct {
		List List[Spec] `cbor:"list"`
	}
	encoded, err := Marshal(holder{List[Spec]{{Seed: 1}, {Seed: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	var h holder
	if err := Unmarshal(encoded, &h); err != nil || len(h.List) != 2 || h.List[1].Seed != 2 {
		t.Fatalf("%v: %+v", err, h)
	}
	const n = 1 << 20
	for _, element := range []byte{0xa0, 0x80, 0xf6, 0x00} { // an empty map, an empty array, null, 0
		claim := append([]byte{0xa1, 0x64, 'l', 'i', 's', 't', 0x9a, 0, n >> 16, 0, 0}, bytes.Repeat([]byte{element}, n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Unmarshal(claim, new(holder))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTruncated) ||
			taken > n {
			t.Errorf("element %x: %v with %d bytes", element, err, taken)
		}
	}
}

// TestVersions pins the append-only numbers. Who changes one keeps a reader for
// the old one, or makes new run IDs.
func TestVersions(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint64
	}{
		{"format", FormatVersion, 11},
		{"numerics", NumericsVersion, 2},
		{"record", recordVersion, 1},
		{"steps of a chunk", ChunkSteps, 1 << 20},
		{"actions", MaxActions, 127},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s version %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// TestBitPacker: eight numbers are packed as they would be one by one, unpacked again, and
// one at or above the limit is detected at any position.
func TestBitPacker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, MaxActions+1).Draw(t, "limit")
		l := newBitPacker(packedWidth(limit), limit)
		xs := rapid.SliceOfN(rapid.Uint8Range(0, uint8(limit-1)), 8, 8).Draw(t, "numbers")
		x, want := binary.LittleEndian.Uint64(xs), uint64(0)
		for i, n := range xs {
			want |= uint64(n) << (i * l.width)
		}
		if got := l.pack(x); got != want {
			t.Fatalf("squeezed %x, want %x", got, want)
		}
		noise := ^l.m8 & rapid.Uint64().Draw(t, "above")
		if got := l.unpack(want | noise); got != x || l.anyAtLimit(x) {
			t.Fatalf("spread %x, want %x; at the limit: %v", got, x, l.anyAtLimit(x))
		}
		xs[rapid.IntRange(0, 7).Draw(t, "which")] = uint8(rapid.Uint64Range(limit, 255).Draw(t, "too large"))
		if !l.anyAtLimit(binary.LittleEndian.Uint64(xs)) {
			t.Fatalf("%v: not seen that one is not under %d", xs, limit)
		}
	})
}
