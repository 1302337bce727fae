package pod

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestImageOfSparseRoot: leaving out the zeros of the root changes no bit of an image.
func TestImageOfSparseRoot(t *testing.T) {
	e, err := DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	e.Text[MapParameter] = "nine-rooms"
	env, err := NewSimulated(e)
	if err != nil {
		t.Fatal(err)
	}
	sparse := NewModelSimilarity(env)
	if sparse.sparse == nil {
		t.Fatal("most of the root of nine rooms is not 0")
	}
	dense := *sparse
	dense.sparse = nil
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := make([]float64, sparse.Dims())
		for i := range x {
			switch random.IntN(4) {
			case 0: // 0, or what makes products −0
				x[i] = math.Copysign(0, float64(random.IntN(2))-0.5)
			case 1:
				x[i] = math.Ldexp(random.NormFloat64(), random.IntN(600)-300)
			default:
				x[i] = random.NormFloat64()
			}
		}
		bits := func(s *Similarity) (b []uint64) {
			for _, x := range s.Image(x) {
				b = append(b, math.Float64bits(x))
			}
			return b
		}
		if !slices.Equal(bits(sparse), bits(&dense)) {
			t.Fatalf("the images of %v differ", x)
		}
	}
}
