package programs

import (
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestSplit: the words are those of a shell.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string // nil for an error
	}{
		{"python3 env.py", []string{"python3", "env.py"}},
		{"  a\t b\n", []string{"a", "b"}},
		{`a 'b c' "d e" f\ g`, []string{"a", "b c", "d e", "f g"}},
		{`a'b'"c"d`, []string{"abcd"}},
		{`a '' ""`, []string{"a", "", ""}}, {`/a\ b/c`, []string{"/a b/c"}}, {`"/a b/c" d`, []string{"/a b/c", "d"}},
		{`'a"b\c' "a'b\\c\"d\e"`, []string{`a"b\c`, `a'b\c"d\e`}},
		{`a\|b '$c' "d;e"`, []string{"a|b", "$c", "d;e"}},
		{`--glob=* a?`, []string{"--glob=*", "a?"}},
		{"", nil}, {"  ", nil}, {`''`, nil}, {`"" a`, nil}, {"'a", nil}, {`"a`, nil}, {`a\`, nil},
		{"a | b", nil}, {"a; b", nil}, {"a & b", nil}, {"a > b", nil}, {"$HOME/a", nil}, {"`a`", nil}, {"(a)", nil},
	} {
		got, err := SplitCommand(c.line)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%q: %q, %v, want %q", c.line, got, err, c.want)
		}
		if err != nil && (!errors.Is(err, errCommand) || schema.Remedy(err) == "") {
			t.Errorf("%q: %v without a remedy", c.line, err)
		}
	}
}

// FuzzSplit: a command is split into words, of which the first is a program, or refused.
func FuzzSplit(f *testing.F) {
	for _, line := range []string{"python3 env.py", `a 'b c' "d \" e" f\ g`, `'`, `"\`, "", "a\x00b"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if words, err := SplitCommand(line); err == nil && (len(words) == 0 || words[0] == "") {
			t.Fatalf("%q names no program, and is no error", line)
		}
	})
}
