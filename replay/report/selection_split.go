package report

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// termStart matches a word that begins a term: a key, perhaps an operator in letters, and an operator.
var termStart = textfmt.Pattern(`^[a-z][a-z0-9_-]*(\.[a-z]+)?(==|=|<=|>=|<|>|~|!=)`)

// SplitSelection splits arguments at blanks into references and terms, so that 'seed=0-9 hide=3' is the same as
// seed=0-9 hide=3. Notes may contain blanks, unlike names and tags: a value in double quotes is not split, and an
// argument that begins with a term is split only before another term.
func SplitSelection(args []string) (selection []string) {
	for _, arg := range args {
		rest := strings.TrimSpace(arg)
		if rest == "" {
			selection = append(selection, arg)
		}
		joins := false // a word that is not a term belongs to the one before
		for rest != "" {
			end := endOfWord(rest)
			word, isTerm := rest[:end], termStart().MatchString(rest)
			if joins && !isTerm {
				selection[len(selection)-1] += word
			} else {
				selection = append(selection, trimBlanks(word))
			}
			joins = (joins || isTerm) && !strings.HasSuffix(word, `"`)
			rest = rest[end:]
			if next := trimBlanks(rest); !joins || termStart().MatchString(next) {
				rest = next
			}
		}
	}
	return selection
}

// endOfWord returns the end of the first word of a text, after any leading blanks: the next blank outside a quoted
// value of a term.
func endOfWord(text string) int {
	at := len(text) - len(trimBlanks(text))
	if start := termStart().FindString(text[at:]); start != "" {
		at += len(start)
		for next := true; next && at < len(text); {
			if quoted, err := strconv.QuotedPrefix(text[at:]); err == nil && text[at] == '"' {
				at += len(quoted)
			} else if end := strings.IndexFunc(text[at:], endsValue); end >= 0 {
				at += end
			} else {
				at = len(text)
			}
			if next = strings.HasPrefix(text[at:], ","); next {
				at++
			}
		}
	}
	if next := strings.IndexFunc(text[at:], unicode.IsSpace); next >= 0 {
		return at + next
	}
	return len(text)
}

func endsValue(r rune) bool { return r == ',' || unicode.IsSpace(r) }

func trimBlanks(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }
