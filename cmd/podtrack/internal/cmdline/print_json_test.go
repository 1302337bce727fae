package cmdline

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// byPointer encodes itself where it has an address.
type byPointer struct {
	N int `json:"n"`
}

func (b *byPointer) MarshalJSON() ([]byte, error) { return json.Marshal([]int{b.N}) }

// byText is text in JSON.
type byText struct {
	N int `json:"n"`
}

func (byText) MarshalText() ([]byte, error) { return []byte("<text>"), nil }

// longestWrite is the most bytes that were written at once.
type longestWrite int

func (l *longestWrite) Write(p []byte) (int, error) {
	*l = max(*l, longestWrite(len(p)))
	return len(p), nil
}

// TestPrintJSON: what is written in parts is what package encoding/json writes at once.
func TestPrintJSON(t *testing.T) {
	type inner struct {
		Number  *int           `json:"number"`
		List    []float64      `json:"list"`
		Map     map[string]int `json:"map"`
		private int
	}
	type embedding struct {
		inner
		Option int `json:"option,omitempty"`
	}
	type document struct {
		Text     string      `json:"text"`
		Inner    inner       `json:"inner"`
		Pointer  *inner      `json:"pointer"`
		None     *inner      `json:"none"`
		List     []inner     `json:"list"`
		Empty    []inner     `json:"empty"`
		Nil      []inner     `json:"nil"`
		Pointers []*inner    `json:"pointers"`
		Embedded []embedding `json:"embedded"`
		Own      byPointer   `json:"own"`
		Owns     []byPointer `json:"owns"`
		Words    []byText    `json:"words"`
		Any      any         `json:"any"`
		Fields   struct{}    `json:"fields"`
	}
	seven := 7
	full := inner{&seven, []float64{1, 0.5}, map[string]int{"b": 1, "a": 2}, 1}
	d := document{
		Text: "<&\n", Inner: full, Pointer: &full, List: []inner{full, {}}, Empty: []inner{},
		Pointers: []*inner{nil, &full}, Embedded: []embedding{{full, 0}, {full, 1}}, Owns: []byPointer{{1}, {2}},
		Words: []byText{{}}, Any: &full,
	}
	for _, v := range []any{d, &d, nil, (*document)(nil), 1, "a", []document{d}, struct{}{}, []any{d, nil}, byPointer{3}} {
		var parts, whole strings.Builder
		e := json.NewEncoder(&whole)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		if err := PrintJSON(&parts, v); err != nil || parts.String() != whole.String() {
			t.Errorf("%T: %s, want %s: %v", v, parts.String(), whole.String(), err)
		}
	}
	var longest longestWrite
	d.List = make([]inner, 1000)
	if err := PrintJSON(&longest, d); err != nil || longest > 1<<12 {
		t.Errorf("%d bytes are written at once: %v", longest, err)
	}
	if err := PrintJSON(new(strings.Builder), inner{List: []float64{math.NaN()}}); err == nil {
		t.Error("no error where there is no encoding")
	}
}
