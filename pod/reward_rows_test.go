package pod

import (
	"math"
	"testing"
)

// TestRewardRows compares the cosine by transitions with that by M, over all directions of the
// states of a map.
func TestRewardRows(t *testing.T) {
	for _, name := range []string{"four-rooms", "i-maze"} {
		e, err := DefaultEnv("grid")
		if err != nil {
			t.Fatal(err)
		}
		e.Text[MapParameter] = name
		env, err := NewEnv(e)
		if err != nil {
			t.Fatal(err)
		}
		simulated := env.(SimulatedEnv)
		rows, all := NewRewardRows(simulated), NewModelSimilarity(simulated)
		stream := NewStream(1, 0, "test")
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
