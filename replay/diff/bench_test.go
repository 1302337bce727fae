package diff

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// paperRuns are n complete runs of the paper's experiment.
func paperRuns(b *testing.B, n int) []*Run {
	var specs []schema.Spec
	for seed := range uint64(n) {
		specs = append(specs, paper(seed))
	}
	return perform(b, 6, specs...)
}

// BenchmarkAllPairs is the 435 full reports on all pairs of 30 complete runs, from
// the store.
func BenchmarkAllPairs(b *testing.B) {
	runs := paperRuns(b, 30)
	specs := specsOf(runs)
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

// BenchmarkGroup compares 10 and 50 complete runs from the store, by purposes alone and by options. What must be
// compared grows with the pairs of runs, 24 times as many.
func BenchmarkGroup(b *testing.B) {
	for _, n := range []int{10, 50} {
		runs := paperRuns(b, n)
		for _, by := range []Kind{Purposes, Options} {
			b.Run(fmt.Sprintf("runs=%d/by=%s", n, by), func(b *testing.B) {
				for b.Loop() {
					_, err := ClusterRuns(b.Context(), reopen(b, runs[0].store, specsOf(runs)...), GroupOptions{By: by})
					ok(b, err)
				}
			})
		}
	}
}

func specsOf(runs []*Run) (specs []schema.Spec) {
	for _, r := range runs {
		specs = append(specs, r.Spec)
	}
	return specs
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
