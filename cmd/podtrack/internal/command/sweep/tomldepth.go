package sweep

import (
	"fmt"
	"strings"
)

// maxDepth is how deep a TOML file's tables and lists may lie in each other. A sweep's
// has no more than lists.
const maxDepth = 16

// checkDepth refuses what lies deep in each other, by dots in a key or by brackets. The
// decoder would take memory by the square of that. What is no TOML is left to it.
func checkDepth(text string) error {
	dots, brackets := 0, 0
	for text != "" {
		c := text[0]
		switch c {
		case '"', '\'':
			text = skipString(text)
			continue
		case '#':
			_, text, _ = strings.Cut(text, "\n")
			dots = 0
			continue
		case '.':
			dots++
		case '[', '{':
			dots, brackets = 0, brackets+1
		case ']', '}':
			dots, brackets = 0, brackets-1
		case '\n', ',', '=':
			dots = 0
		}
		if max(dots, brackets) > maxDepth {
			return fmt.Errorf("tables or lists in each other, more than %d deep", maxDepth)
		}
		text = text[1:]
	}
	return nil
}

// skipString returns what comes behind the string with which a text begins, and nothing
// where it does not end: there the decoder stops, too.
func skipString(text string) string {
	quote := text[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text, long) {
		text = skipPast(text[3:], long)
		for range 2 { // quotes may be the last of the string's own
			text = strings.TrimPrefix(text, quote)
		}
		return text
	}
	return skipPast(text[1:], quote)
}

// skipPast returns what comes behind the end of a string, which a backslash before it
// hides where it is of double quotes.
func skipPast(text, end string) string {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && end[0] == '"':
			i++
		case strings.HasPrefix(text[i:], end):
			return text[i+len(end):]
		case text[i] == '\n' && len(end) == 1:
			return ""
		}
	}
	return ""
}
