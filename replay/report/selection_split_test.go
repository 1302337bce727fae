package report

import (
	"slices"
	"testing"
)

// TestSplitSelection: blanks separate terms and references, but not the words of a note.
func TestSplitSelection(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{nil, nil},
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"a b", "@1"}, []string{"a", "b", "@1"}},
		{[]string{"seed=0-9 hide=3", "kappa<=2"}, []string{"seed=0-9", "hide=3", "kappa<=2"}},
		{[]string{" seed=0-9   kappa.le=2 "}, []string{"seed=0-9", "kappa.le=2"}},
		{[]string{"note=two words seed=1"}, []string{"note=two words", "seed=1"}},
		{[]string{"created>2026-01-31 12:00:00"}, []string{"created>2026-01-31 12:00:00"}},
		{[]string{"", " "}, []string{"", " "}},
	} {
		if got := SplitSelection(c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
