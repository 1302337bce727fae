package report

import (
	"regexp"
	"strings"
)

// termStart matches a word that begins a term: a key, perhaps an operator in letters, and an operator.
var termStart = regexp.MustCompile(`^[a-z_]+(\.[a-z]+)?(=|<|>|~|!=)`)

// SplitSelection splits arguments at blanks into references and terms, so that 'seed=0-9 hide=3' is the
// same as seed=0-9 hide=3. Neither names nor tags have blanks, but notes have: within an argument that
// begins with a term, only a blank before another term separates.
func SplitSelection(args []string) (selection []string) {
	for _, arg := range args {
		words := strings.Fields(arg)
		if len(words) < 2 {
			selection = append(selection, arg)
			continue
		}
		inTerms := termStart.MatchString(words[0])
		selection = append(selection, words[0])
		rest := strings.TrimLeft(arg, " \t\n")[len(words[0]):]
		for _, word := range words[1:] {
			at := strings.Index(rest, word)
			if last := len(selection) - 1; inTerms && !termStart.MatchString(word) {
				selection[last] += rest[:at] + word
			} else {
				selection = append(selection, word)
			}
			rest = rest[at+len(word):]
		}
	}
	return selection
}
