package rng_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema/wire"
)

// TestStreamValues: the values are those of a Python program that was written
// from the definitions alone (SHA-256 of the domain and CBOR, PCG-DXSM with the
// cheap multiplier, Lemire's rejection on integers of any size).
func TestStreamValues(t *testing.T) {
	tests := []struct {
		seed      uint64
		iteration int
		below     int
		want      []int
	}{
		{0, 0, 2, []int{0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1}},
		{0, 0, 1000, []int{453, 674, 772, 853, 972, 572, 52, 42}},
		{1 << 63, 300, 2, []int{0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1}},
		{1 << 63, 300, 1000, []int{346, 616, 107, 294, 777, 990, 485, 627}},
	}
	for _, tt := range tests {
		s := rng.NewStream(tt.seed, tt.iteration, collect.WalkStream)
		if got := take(s, len(tt.want), tt.below); !slices.Equal(got, tt.want) {
			t.Errorf("seed %d, iteration %d: %v, want %v", tt.seed, tt.iteration, got, tt.want)
		}
	}
}

func take(s *rng.Stream, n, below int) []int {
	var xs []int
	for range n {
		xs = append(xs, s.Below(below))
	}
	return xs
}

func TestStreamsDiffer(t *testing.T) {
	tests := []struct {
		seed      uint64
		iteration int
		use       string
	}{
		{0, 0, "walk"}, {1, 0, "walk"}, {0, 1, "walk"}, {1, 1, "walk"}, {0, 0, "evaluate"}, {0, 0, ""},
		{256, 0, "walk"}, {0, 256, "walk"}, {math.MaxUint64, 0, "walk"},
	}
	for i, a := range tests {
		for j, b := range tests {
			x := take(rng.NewStream(a.seed, a.iteration, a.use), 4, 1<<30)
			y := take(rng.NewStream(b.seed, b.iteration, b.use), 4, 1<<30)
			if slices.Equal(x, y) != (i == j) {
				t.Errorf("%v begins %v, %v begins %v", a, x, b, y)
			}
		}
	}
}

// TestBelow compares with Lemire's rule on integers of any size, bounds that
// reject up to half of the draws included, and counts what is consumed.
func TestBelow(t *testing.T) {
	bound := rapid.OneOf(
		rapid.IntRange(1, 20),
		rapid.IntRange(1, math.MaxInt),
		rapid.SampledFrom([]int{math.MaxInt/2 + 1, math.MaxInt/2 + 2, math.MaxInt/4*3 + 3, math.MaxInt - 1, math.MaxInt}),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := rng.NewStream(rapid.Uint64().Draw(t, "seed"), 0, "test")
		raw := rawOf(t, s)
		for range 20 {
			n := bound.Draw(t, "n")
			got, want := s.Below(n), belowOf(raw, n)
			if got != want || got < 0 || got >= n {
				t.Fatalf("Below(%d) = %d, want %d", n, got, want)
			}
		}
		if *rawOf(t, s) != *raw {
			t.Fatal("more or fewer numbers of the stream were consumed")
		}
	})
}

func rawOf(t rapid.TB, s *rng.Stream) *rand.PCG {
	t.Helper()
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	raw := &rand.PCG{}
	if err := raw.UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	return raw
}

func belowOf(raw *rand.PCG, n int) int {
	range64 := new(big.Int).Lsh(big.NewInt(1), 64)
	bound := big.NewInt(int64(n))
	for {
		product := new(big.Int).Mul(new(big.Int).SetUint64(raw.Uint64()), bound)
		quotient, low := new(big.Int).QuoRem(product, range64, new(big.Int))
		if low.Cmp(new(big.Int).Mod(range64, bound)) >= 0 {
			return int(quotient.Int64())
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	saved, err := rng.NewStream(0, 0, "test").Save()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{nil, saved[:len(saved)-1], append(slices.Clone(saved), 0),
		slices.Repeat([]byte{'x'}, len(saved))} {
		if _, err := rng.RestoreStream(b); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%q: %v, want ErrMalformed", b, err)
		}
	}
}
