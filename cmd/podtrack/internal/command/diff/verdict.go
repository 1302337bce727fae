package diff

import "github.com/podtrack/podtrack/replay/diff"

// verdictOf returns the strongest verdict that holds for a pair of iterations.
func verdictOf(it diff.Comparison) string {
	switch {
	case it.Identical:
		return "identical"
	case it.Equivalent:
		return "equivalent"
	}
	return "different"
}
