package cmdline

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema/textfmt"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain σ ⊥ –\n\tline":        "plain σ ⊥ –\n\tline",
		"\x1b[2Jgone\r":              `\u001b[2Jgone\u000d`,
		"\u009b31mred":               `\u009b31mred`,
		"rub\x7fout\a":               `rub\u007fout\u0007`,
		"not UTF-8 \xff\xc2":         `not UTF-8 \xff\xc2`,
		"8 bits \x9b2J":              `8 bits \x9b2J`,
		"caf\u00e9 \u00a0e\u0301":    "caf\u00e9 \u00a0e\u0301",
		"\u202eevil\u202c \u2066x":   `\u202eevil\u202c \u2066x`,
		"a\u200bb\u200d\u2028\ufeff": `a\u200bb\u200d\u2028\ufeff`,
		"tag \U000e0041\u061c\u3164": `tag \udb40\udc41\u061c\u3164`,
	} {
		for size := 1; size <= 4; size++ { // however the text is cut into writes
			var out bytes.Buffer
			o := &Output{Raw: &out}
			for rest := []byte(in); len(rest) > 0; {
				n := min(size, len(rest))
				if got, err := o.Write(rest[:n]); got != n || err != nil {
					t.Fatalf("%q: %d, %v", rest[:n], got, err)
				}
				rest = rest[n:]
			}
			if err := o.Flush(); out.String() != want || err != nil {
				t.Errorf("%q: %q, %v; want %q", in, out.String(), err, want)
			}
		}
	}
	if got := textfmt.EscapeLine("two\nlines\tand\r\n"); got != `two\nlines\tand\u000d\n` {
		t.Errorf("%q", got)
	}
}

// TestEscapeJSON checks that JSON which is escaped says what it said before.
func TestEscapeJSON(t *testing.T) {
	want := "\u202e\x7f\u009b\U000e0041\u200b\x1b\u2028 \\ \" \n"
	document, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(textfmt.EscapeText(document), &got); err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

type fullWriter struct{ room int }

var errFull = errors.New("no room")

func (f *fullWriter) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestOutputKeepsError checks that an error is kept although the writes ignore it.
func TestOutputKeepsError(t *testing.T) {
	o := &Output{Raw: &fullWriter{room: 3}}
	for range 3 {
		_, _ = o.Write([]byte("ab"))
	}
	if err := o.Flush(); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
}
