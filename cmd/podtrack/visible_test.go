package main

import (
	"bytes"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain σ ⊥ –\n\tline":    "plain σ ⊥ –\n\tline",
		"\x1b[2Jgone\r":          `\u001b[2Jgone\u000d`,
		"\u009b31mred":           `\u009b31mred`,
		"rub\x7fout\a":           `rub\u007fout\u0007`,
		"not UTF-8 \xff\xc2":     "not UTF-8 \xff\xc2",
		"caf\u00e9 \u00a0\u00c2": "caf\u00e9 \u00a0\u00c2",
	} {
		var out bytes.Buffer
		n, err := visibleWriter{&out}.Write([]byte(in))
		if out.String() != want || n != len(in) || err != nil {
			t.Errorf("%q: %q, %d, %v; want %q", in, out.String(), n, err, want)
		}
	}
}
