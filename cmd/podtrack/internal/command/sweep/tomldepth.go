package sweep

import (
	"fmt"
	"strings"
)

// maxDepth is the maximum nesting depth of tables and lists in a TOML file. A sweep needs only
// lists.
const maxDepth = 16

// checkDepth returns an error if dotted keys or brackets are nested too deeply, since the
// decoder's memory grows with the square of the depth. It leaves invalid TOML to the decoder.
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

// skipString returns the text after the string at its beginning, "" if the string is not
// terminated. The decoder stops there, too.
func skipString(text string) string {
	quote := text[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text, long) {
		text = skipPast(text[3:], long)
		for range 2 { // the string may end in up to two quotes of its own
			text = strings.TrimPrefix(text, quote)
		}
		return text
	}
	return skipPast(text[1:], quote)
}

// skipPast returns the text after the end of a string. In a double-quoted string, a backslash
// escapes the end.
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
