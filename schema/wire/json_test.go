package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// FuzzDecodeJSON: what is decoded is JSON, and the duplicate keys are those that a scan by tokens finds.
func FuzzDecodeJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null,"c":"\""}],"d":{}}`, `[[],[{}]]`, `{"a":1,"a":2}`, `"x"`, `1e3 `,
		`{"a":{"b":[{"c":1,"c":2}]}}`, `{"":0,"\\":1}`,
		`{"a":1,"a"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		err := DecodeJSON(data, &v)
		twice := strings.Contains(fmt.Sprint(err), "duplicate key")
		if err != nil && !twice {
			return // a number is too large, or a text is no UTF-8
		}
		isInvalid := err == nil && !json.Valid(data) // a duplicate key is found before what is wrong behind it
		if isInvalid || twice != hasKeyTwice(t, data) {
			t.Errorf("%q: %v", data, err)
		}
	})
}

// hasKeyTwice reports whether an object in the document has a duplicate key, by reading its tokens.
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
	if err == nil || errors.Is(err, ErrTrailing) || !strings.Contains(err.Error(), `duplicate key "k7"`) {
		t.Error(err)
	}
}
