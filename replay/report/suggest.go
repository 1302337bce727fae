package report

import "github.com/xrash/smetrics"

// Suggest returns the candidate that a mistyped word most likely stands for, "" if none
// is similar enough. Similarity is that of Jaro and Winkler, with the usual weights.
func Suggest(word string, candidates []string) string {
	const similar = 0.8
	best, found := similar, ""
	for _, c := range candidates {
		if s := smetrics.JaroWinkler(word, c, 0.7, 4); s > best {
			best, found = s, c
		}
	}
	return found
}
