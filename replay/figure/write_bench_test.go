package figure

import (
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
)

// BenchmarkWrite draws the figures that take longest: as many rows as a heat map has room for, lanes of an option with
// many relatives, and walks.
func BenchmarkWrite(b *testing.B) {
	style := Style{Width: 6 * 72, Theme: "light", Title: true}
	for _, runs := range []int{30, 300} {
		f := similarOf(runs)
		for _, format := range []string{"svg", "png", "pdf"} {
			b.Run(fmt.Sprintf("figure=group/runs=%d/format=%s", runs, format), func(b *testing.B) {
				for b.Loop() {
					if err := Write(io.Discard, f, format, style); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	f := crowdedFigures()["ancestry"]
	b.Run("figure=ancestry/format=svg", func(b *testing.B) {
		for b.Loop() {
			if err := Write(io.Discard, f, "svg", style); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, points := range []int{1000, 4000} {
		w := Walk{Title: "Position over time", Steps: int64(points), Tracks: []Trace{{Name: "a"}}}
		for x := range points {
			w.Tracks[0].Points = append(w.Tracks[0].Points, Point{float64(x), float64(x%2*2-1) * (1 + math.Sin(float64(x)))})
		}
		for _, format := range []string{"svg", "png", "pdf"} {
			b.Run(fmt.Sprintf("figure=walk/points=%d/format=%s", points, format), func(b *testing.B) {
				for b.Loop() {
					if err := Write(io.Discard, w, format, style); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// similarOf returns the figure of so many runs, all different.
func similarOf(runs int) RunSimilarity {
	f := RunSimilarity{By: diff.Purposes}
	for i := range runs {
		f.Runs = append(f.Runs, fmt.Sprintf("run%d", i))
		var row []*float64
		for j := range runs {
			row = append(row, ptr(1/(1+math.Abs(float64(i-j)))))
		}
		f.Similarity = append(f.Similarity, row)
		f.Dendrogram.Leaves = append(f.Dendrogram.Leaves, i)
		if i > 0 {
			f.Dendrogram.Merges = append(f.Dendrogram.Merges, diff.Merge{A: max(runs+i-2, runs) * min(i-1, 1), B: i,
				Height: float64(i), Runs: i + 1})
		}
	}
	return f
}
