package textform

import (
	"fmt"
	"strings"
	"testing"
)

// TestShortenEchoes: what is quoted and words are shortened, and nothing else.
func TestShortenEchoes(t *testing.T) {
	blanks, letters := strings.Repeat("ab ", 20), strings.Repeat("x", 60)
	for text, want := range map[string]string{
		"":                         "",
		"it's what the run's is":   "it's what the run's is",
		"it's " + blanks + "run's": "it's " + blanks + "run's", // apostrophes
		fmt.Sprintf("name %q: not allowed", letters): `name "xxxxx…xx": not allowed`,
		fmt.Sprintf("tag %q: not allowed", blanks):   `tag "ab ab…b ": not allowed`,
		"--set '" + blanks + "': no field":           "--set 'ab ab…b ': no field",
		strings.Repeat("日", 60) + ": missing":        "日日日日日日…日日: missing",
		`"a\"` + letters + `": x`:                    `"a\"xx…xx": x`,
		`"` + letters:                                `"xxxxxx…xxx`,
	} {
		if got := ShortenEchoes(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := ShortenEchoes(letters, 60); got != letters {
		t.Errorf("at the limit: %q", got)
	}
}
