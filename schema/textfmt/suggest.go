package textfmt

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Suggest returns the candidate that a mistyped word most likely stands for, or "" if none is near enough: the first
// of the nearest ones, without regard to case, of which at most every third letter differs. One that begins with the
// same letter goes before others as near, since people seldom mistype the first letter.
func Suggest(word string, candidates []string) (nearest string) {
	typed := []rune(strings.ToLower(word))
	best := 2*len(typed) + 2
	for _, c := range candidates {
		meant := []rune(strings.ToLower(c))
		most := max(len(typed), len(meant)) / 3
		if len(typed)-len(meant) > most || len(meant)-len(typed) > most {
			continue // sooner than by the distance
		}
		d := 2 * distance(typed, meant)
		if len(typed) > 0 && len(meant) > 0 && typed[0] != meant[0] {
			d++
		}
		if d < best && d/2 <= most {
			best, nearest = d, c
		}
	}
	return nearest
}

// distance returns how many letters have to be typed, left out, changed, or swapped with the next one, to make b of a:
// the optimal string alignment distance (Damerau, A technique for computer detection and correction of spelling
// errors, 1964).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			row[j+1] = last[j]
			if a[i] != b[j] {
				row[j+1] = 1 + min(last[j], last[j+1], row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
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

// Pattern returns a regular expression that is compiled when it is first used: most commands use none, and the program
// has many.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
