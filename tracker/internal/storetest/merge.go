package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"
)

// Merge copies all runs to another store.
func Merge(t testing.TB, from, to *tracker.Store) merge.Report {
	t.Helper()
	c, err := merge.Run(context.Background(), from, to, merge.Options{})
	OK(t, err)
	return c
}

// Outcomes counts the outcomes of a merge, sorted by name.
func Outcomes(c merge.Report) string {
	count := map[merge.Outcome]int{}
	for _, r := range c.Runs {
		count[r.Outcome]++
	}
	var words []string
	for o, n := range count {
		words = append(words, fmt.Sprintf("%d %s", n, o))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
