package explore

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLog2 compares with the standard library, whose result is within one unit in the last place.
func TestLog2(t *testing.T) {
	for e := range 60 {
		if got := log2(math.Ldexp(1, e)); got != float64(e) {
			t.Errorf("log₂ 2^%d = %v", e, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<50).Draw(t, "n")
		got, want := log2(float64(n)), math.Log2(float64(n))
		if math.Abs(got-want) > 4e-16*want {
			t.Fatalf("log₂ %d = %v, the library has %v", n, got, want)
		}
	})
}

// TestEntropyKnown has entropies that are known: Cover and Thomas, Elements of Information Theory,
// example 2.1.1 (½, ¼, ⅛, ⅛: 1.75 bits), and uniform ones.
func TestEntropyKnown(t *testing.T) {
	for _, c := range []struct {
		counts []int64
		want   float64
	}{
		{nil, 0}, {[]int64{7}, 0}, {[]int64{5, 5}, 1}, {[]int64{1, 1, 2, 4}, 1.75},
		{slices.Repeat([]int64{3}, 1024), 10},
	} {
		if got := entropyBits(c.counts); got != c.want {
			t.Errorf("entropy of %v is %v, want %v", c.counts, got, c.want)
		}
	}
}

// TestEntropyNaive compares with −Σ p log₂ p.
func TestEntropyNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(1, 1000), 1, 50).Draw(t, "counts")
		slices.Sort(counts)
		total, want := 0.0, 0.0
		for _, c := range counts {
			total += float64(c)
		}
		for _, c := range counts {
			p := float64(c) / total
			want -= p * math.Log2(p)
		}
		got := entropyBits(counts)
		if math.Abs(got-want) > 1e-12 || got < 0 || got > log2(float64(len(counts)))+1e-12 {
			t.Fatalf("entropy %v, want %v", got, want)
		}
	})
}
