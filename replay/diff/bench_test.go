package diff

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// paperRuns are 30 complete runs of the paper's experiment.
func paperRuns(b *testing.B) []*Run {
	var specs []schema.Spec
	for seed := range uint64(30) {
		specs = append(specs, paper(seed))
	}
	return perform(b, 6, specs...)
}

// BenchmarkAllPairs is the 435 full reports on all pairs of 30 complete runs, from
// the store.
func BenchmarkAllPairs(b *testing.B) {
	runs := paperRuns(b)
	var specs []schema.Spec
	for _, r := range runs {
		specs = append(specs, r.Spec)
	}
	for b.Loop() {
		fresh := reopen(b, runs[0].store, specs...)
		for i, x := range fresh {
			x.cache = true
			for _, y := range fresh[:i] {
				_, err := CompareRuns(b.Context(), x, y, Limits{})
				ok(b, err)
			}
		}
	}
}

// BenchmarkGroup is the distinct purposes of 30 complete runs, from the store.
func BenchmarkGroup(b *testing.B) {
	runs := paperRuns(b)
	var specs []schema.Spec
	for _, r := range runs {
		specs = append(specs, r.Spec)
	}
	for b.Loop() {
		_, err := ClusterRuns(b.Context(), reopen(b, runs[0].store, specs...), Limits{})
		ok(b, err)
	}
}

// BenchmarkDiff is the full report on one pair, from the store.
func BenchmarkDiff(b *testing.B) {
	runs := perform(b, 6, paper(0), paper(1))
	for b.Loop() {
		fresh := reopen(b, runs[0].store, paper(0), paper(1))
		_, err := CompareRuns(b.Context(), fresh[0], fresh[1], Limits{})
		ok(b, err)
	}
}
