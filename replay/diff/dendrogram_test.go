package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema/schematest"
)

// drawSimilarity draws a symmetric matrix, with few values if tied.
func drawSimilarity(r *rand.Rand, n int, tied bool) [][]*float64 {
	m := make([][]*float64, n)
	for i := range m {
		m[i] = make([]*float64, n)
		for j := range i + 1 {
			x := r.Float64()
			if tied {
				x = float64(r.IntN(3)) / 2
			}
			if i == j {
				x = 1
			}
			m[i][j], m[j][i] = &x, &x
		}
	}
	return m
}

// TestDendrogram: every run is a leaf once, heights never fall, and a height is 1 − the mean similarity over the pairs
// of runs that the merge brings together.
func TestDendrogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "runs")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		similarity := drawSimilarity(r, n, rapid.Bool().Draw(t, "tied"))
		d := newDendrogram(similarity)
		if len(d.Merges) != max(0, n-1) || len(d.Leaves) != n {
			t.Fatalf("%+v of %d runs", d, n)
		}
		if sorted := slices.Sorted(slices.Values(d.Leaves)); n > 0 && (sorted[0] != 0 || len(slices.Compact(sorted)) != n) {
			t.Fatalf("leaves %v", d.Leaves)
		}
		before := 0.0
		for _, m := range d.Merges {
			sum, pairs := 0.0, 0.0
			for _, i := range d.leavesOf(n, m.A) {
				for _, j := range d.leavesOf(n, m.B) {
					sum, pairs = sum+1-*similarity[i][j], pairs+1
				}
			}
			if m.Height < before-1e-12 || m.A >= m.B || sum/pairs-m.Height > 1e-12 || m.Height-sum/pairs > 1e-12 {
				t.Fatalf("%+v after a height of %v: the mean distance is %v", m, before, sum/pairs)
			}
			before = m.Height
		}
	})
}

// TestDendrogramOfNone: two runs that share no iteration are 1 apart.
func TestDendrogramOfNone(t *testing.T) {
	one := 1.0
	d := newDendrogram([][]*float64{{&one, nil}, {nil, &one}})
	if len(d.Merges) != 1 || d.Merges[0] != (Merge{A: 0, B: 1, Height: 1, Runs: 2}) {
		t.Errorf("%+v", d)
	}
}

// TestDendrogramIsSciPys lets SciPy make the same dendrograms: see testdata/dendrogram.py.
func TestDendrogramIsSciPys(t *testing.T) {
	python := schematest.SciPy(t)
	type made struct {
		Similarity [][]*float64
		Dendrogram Dendrogram
	}
	r := rand.New(rand.NewPCG(13, 17))
	var all []made
	for n := 2; n <= 30; n++ {
		s := drawSimilarity(r, n, false)
		all = append(all, made{s, newDendrogram(s)})
	}
	asked, err := json.Marshal(all)
	ok(t, err)
	c := exec.Command(python, "testdata/dendrogram.py")
	c.Stdin = bytes.NewReader(asked)
	out, err := c.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, fmt.Appendf(nil, "%d dendrograms agree", len(all))) {
		t.Fatalf("%v\n%s", err, out)
	}
}
