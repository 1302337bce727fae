package diff

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// TestLineages walks a hand-made sequence in five dimensions, in which every
// direction of space shows: e1 stays, turned a little and with its sign changed;
// e2 vanishes and comes back, which is another lineage; e3 changes its place in
// the order; e4 is born late, and is not continued by e3, though that alone is left
// to be matched with it.
func TestLineages(t *testing.T) {
	m := pooledOf(t, 5, linalg.Dataset{Dims: 5, Counts: []int64{1, 1, 1, 1, 1}, Rows: schema.NewSparseRows(5,
		[]float64{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1},
	)})
	e := func(i int, sign float64) []float64 {
		v := make([]float64, 5)
		v[i-1] = sign
		return v
	}
	turned := []float64{-0.995, 0, 0, 0, -0.0998} // 5.7° from −e1
	var l lineages
	for k, vectors := range [][][]float64{
		{e(1, 1), e(2, 1), e(3, 1)},
		{turned, e(3, -1)},
		{},
		{e(1, 1), e(2, 1)},
		{e(4, 1), e(2, -1), e(1, 1)},
		{e(3, 1), e(2, 1), e(1, 1)},
	} {
		var purposes []schema.Purpose
		for j, v := range vectors {
			for _, sign := range []int{1, -1} {
				purposes = append(purposes, schema.Purpose{
					J: j + 1, Sign: sign, Sigma: float64(9 - j), Vector: signed(v, sign),
				})
			}
		}
		now := (&optionSet{Purposes: (&Side{}).withoutRefs(purposes)}).directions(nil)
		from, err := matchPrevious(m, l.before, now, Limits{})
		ok(t, err)
		l.extend(now, from, func(d direction) string {
			return fmt.Sprintf("%d/%d+", k, d.j)
		})
	}
	want := []Lineage{
		{First: 0, Purposes: []string{"0/1+", "1/1+"}},
		{First: 0, Purposes: []string{"0/2+"}},
		{First: 0, Purposes: []string{"0/3+", "1/2+"}},
		{First: 3, Purposes: []string{"3/1+", "4/3+", "5/3+"}},
		{First: 3, Purposes: []string{"3/2+", "4/2+", "5/2+"}},
		{First: 4, Purposes: []string{"4/1+"}},
		{First: 5, Purposes: []string{"5/1+"}},
	}
	if diff := cmp.Diff(want, l.lines); diff != "" {
		t.Errorf("- want, + got\n%s", diff)
	}
	for _, c := range []struct{ k, j, born int }{{0, 1, 0}, {1, 2, 0}, {3, 1, 3}, {4, 1, 4}, {4, 2, 3}, {4, 3, 3}} {
		if got := l.firstIteration(c.k, c.j); got != c.born {
			t.Errorf("direction %d of iteration %d was born in %d, want %d", c.j, c.k, got, c.born)
		}
	}
}

func signed(v []float64, sign int) []float64 {
	if sign < 0 {
		return negated(v)
	}
	return v
}

// TestLineagesAlone: the lineages of a run are those of its comparison with itself.
func TestLineagesAlone(t *testing.T) {
	for _, run := range several(t) {
		got, err := reopen(t, run)[0].Lineages(t.Context(), Limits{})
		ok(t, err)
		if diff := cmp.Diff(runs(t, run, run, Limits{}).Lineages.A, got); diff != "" {
			t.Errorf("- compared, + alone\n%s", diff)
		}
	}
}
