package selection

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/pod/rng"
)

// TestImageOfSparseRoot: leaving out the zeros of the root changes no bit of an image.
func TestImageOfSparseRoot(t *testing.T) {
	e, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	e.Text[envs.MapParameter] = "nine-rooms"
	env := podtest.Simulated(t, e)
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

// TestRewardRows compares the cosine by transitions with that by M, over all directions of the
// states of a map.
func TestRewardRows(t *testing.T) {
	for _, name := range []string{"four-rooms", "i-maze"} {
		e, err := envs.DefaultEnv("grid")
		if err != nil {
			t.Fatal(err)
		}
		e.Text[envs.MapParameter] = name
		env, err := envs.NewEnv(e)
		if err != nil {
			t.Fatal(err)
		}
		simulated := env.(envs.SimulatedEnv)
		rows, all := NewRewardRows(simulated), NewModelSimilarity(simulated)
		stream := rng.NewStream(1, 0, "test")
		vectors := [][]float64{make([]float64, all.Dims())} // one that rewards nothing
		for range 8 {
			v := make([]float64, all.Dims())
			for i := range v {
				v[i] = float64(stream.Below(201)-100) / 100
			}
			vectors = append(vectors, v)
		}
		for i, v := range vectors {
			for j, w := range vectors {
				want, got := all.Cos(v, w), computeCosine(rows.Image(v), rows.Image(w))
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%s, vectors %d and %d: cosine %v, by M %v", name, i, j, got, want)
				}
			}
		}
	}
}
