package textfmt

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// Suggest returns the candidate that a mistyped word most likely stands for, or "" if none is similar enough.
// Similarity is that of Jaro and Winkler, with the usual weights, without regard to case.
func Suggest(word string, candidates []string) string {
	const similar = 0.8
	word = strings.ToLower(word)
	best, found := similar, ""
	for _, c := range candidates {
		if s := smetrics.JaroWinkler(word, strings.ToLower(c), 0.7, 4); s > best {
			best, found = s, c
		}
	}
	for _, c := range candidates {
		if folded := strings.ToLower(c); found == "" && (lacksLetter(word, folded) || swapsLetters(word, folded)) {
			found = c
		}
	}
	return found
}

// lacksLetter reports whether word is the candidate without one letter other than the first. Jaro's similarity
// does not recognise this in short words.
func lacksLetter(word, candidate string) bool {
	for i := range candidate {
		if i > 0 && candidate[:i]+candidate[i+1:] == word {
			return true
		}
	}
	return false
}

// swapsLetters reports whether word is the candidate with two adjacent letters swapped.
func swapsLetters(word, candidate string) bool {
	for i := range len(candidate) - 1 {
		if candidate[:i]+candidate[i+1:i+2]+candidate[i:i+1]+candidate[i+2:] == word {
			return true
		}
	}
	return false
}

// DidYouMean returns a hint for an unknown word: the candidate that it most likely stands for, if any, and the
// list of all candidates. kind is their plural noun.
func DidYouMean(word, kind string, candidates []string) string {
	hint := fmt.Sprintf("the %s are %s", kind, strings.Join(candidates, ", "))
	if near := Suggest(word, candidates); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return hint
}
