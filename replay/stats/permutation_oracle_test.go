package stats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/schematest"
)

// permuted is a permutation test with its draws, and what this package says of it.
type permuted struct {
	stats.Permutation
	Drawn [][]int
	P     float64
	Mean  *stats.Estimate

	Chance float64
	Excess *stats.Estimate
}

// TestPermutationOracle lets NumPy and SciPy compute p-values over the same draws, and intervals: see
// testdata/permutation.py. Some matrices have few values, so that many draws tie with what was observed.
func TestPermutationOracle(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy", "scipy")
	r := rand.New(rand.NewPCG(7, 11))
	var tests []permuted
	for i := range 12 {
		values := []int{3, 1 << 30}[i%2]
		p := permuted{Permutation: stats.Permutation{Draws: 199, Use: fmt.Sprint(i)}}
		var observed []int
		n := 0
		for range 1 + i%3 {
			s := stats.Stratum{Observed: 3 + r.IntN(3)}
			for range s.Observed + 3 + r.IntN(6) {
				s.Members = append(s.Members, n)
				n++
			}
			observed = append(observed, s.Members[:s.Observed]...)
			p.Strata = append(p.Strata, s)
		}
		p.Similarity = symmetric(r, n, values)
		test, err := p.Test(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.P, p.Mean = test, stats.MeanOverPairs(submatrix(p.Similarity, observed))
		p.Chance, p.Excess = p.Permutation.Chance(), p.Permutation.Excess().At(stats.Level)
		if err := p.EachDraw(t.Context(), func(m []int) { p.Drawn = append(p.Drawn, slices.Clone(m)) }); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, p)
	}
	asked, err := json.Marshal(tests)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "testdata/permutation.py")
	c.Stdin = bytes.NewReader(asked)
	out, err := c.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, fmt.Appendf(nil, "%d tests agree", len(tests))) {
		t.Fatalf("%v\n%s", err, out)
	}
}

func symmetric(r *rand.Rand, n, values int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range i {
			m[i][j] = float64(r.IntN(values)) / float64(values)
			m[j][i] = m[i][j]
		}
	}
	return m
}

func submatrix(m [][]float64, of []int) [][]float64 {
	sub := make([][]float64, len(of))
	for i, x := range of {
		for _, y := range of {
			sub[i] = append(sub[i], m[x][y])
		}
	}
	return sub
}
