package chart

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestReduce compares the reduction of a walk with the walk: per column the same least and greatest value, nothing that
// was not there, nothing out of order.
func TestReduce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 50).Draw(t, "columns")
		ys := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 400).Draw(t, "ys")
		last := float64(len(ys) - 1)
		r := NewReducer(0, last, columns)
		for i, y := range ys {
			r.Add(float64(i), y)
		}
		kept := r.Finish()
		if len(kept) > 2*columns+3 {
			t.Fatalf("%d points in %d columns", len(kept), columns)
		}
		if !slices.IsSortedFunc(kept, func(a, b Point) int { return int(a.X - b.X) }) {
			t.Fatalf("out of order: %v", kept)
		}
		if end := kept[len(kept)-1]; end != (Point{last, ys[len(ys)-1]}) {
			t.Fatalf("ends at %v", end)
		}
		type extremes struct{ low, high float64 }
		want, got := map[int]extremes{}, map[int]extremes{}
		note := func(of map[int]extremes, x, y float64) {
			c := r.columnOf(x)
			e, had := of[c]
			if !had {
				e = extremes{y, y}
			}
			of[c] = extremes{min(e.low, y), max(e.high, y)}
		}
		for i, y := range ys {
			note(want, float64(i), y)
		}
		for _, p := range kept {
			if p.Y != ys[int(p.X)] {
				t.Fatalf("%v was not there", p)
			}
			note(got, p.X, p.Y)
		}
		for c, e := range want {
			if got[c] != e {
				t.Fatalf("column %d has %v, want %v", c, got[c], e)
			}
		}
	})
}

// TestShortSeries: what has a column for each point is kept whole, also where its values are equal.
func TestShortSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ys := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 100).Draw(t, "ys")
		if rapid.Bool().Draw(t, "equal") {
			clear(ys)
		}
		r := NewReducer(0, float64(len(ys)), len(ys))
		var want []Point
		for i, y := range ys {
			r.Add(float64(i), y)
			want = append(want, Point{float64(i), y})
		}
		if kept := r.Finish(); !slices.Equal(kept, want) {
			t.Fatalf("%v became %v", want, kept)
		}
	})
}
