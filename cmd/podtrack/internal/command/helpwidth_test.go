package command

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpFits: the help of every command has no line that is wider than the terminal, but for commands to type, and
// says the same as without a width.
func TestHelpFits(t *testing.T) {
	var names []string
	for _, c := range NewApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands {
		names = append(names, c.Name)
	}
	for _, name := range names {
		var page bytes.Buffer
		if err := NewApp(&page, &bytes.Buffer{}).Run([]string{"podtrack", name, "--help"}); err != nil || page.Len() == 0 {
			t.Fatalf("%s: %d bytes, %v", name, page.Len(), err)
		}
		for _, width := range []int{72, 80, 100, 1000} {
			fitted := fitHelp(page.String(), width)
			if unspaced(fitted) != unspaced(page.String()) {
				t.Errorf("%s at %d columns has other words:\n%s", name, width, fitted)
			}
			for _, line := range strings.Split(fitted, "\n") {
				command := strings.HasPrefix(strings.TrimSpace(line), "podtrack ") && strings.Contains(page.String(), line+"\n")
				if utf8.RuneCountInString(line) > width && !command {
					t.Errorf("%s at %d columns: %q", name, width, line)
				}
			}
		}
	}
}

// unspaced returns a text without its white space: a word that is wider than its column is broken.
func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }
