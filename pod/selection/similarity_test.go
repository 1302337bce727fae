package selection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// modelSimilarity returns the similarity over the transitions of an environment.
func modelSimilarity(t testing.TB, env envs.SimulatedEnv) *Similarity {
	t.Helper()
	s, err := NewSimilarity(t.Context(), len(env.Features()), ModelTransitions(env))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestImageOfSparseRoot: leaving out the zeros of the root changes no bit of a product with it.
func TestImageOfSparseRoot(t *testing.T) {
	e, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	e.Text[envs.MapParameter] = "nine-rooms"
	env := podtest.Simulated(t, e)
	sparse, err := newFactoredSimilarity(t.Context(), env.States(), ModelTransitions(env))
	if err != nil {
		t.Fatal(err)
	}
	var dense [][]float64
	for _, row := range sparse.rows {
		dense = append(dense, row.Dense(sparse.dims))
	}
	want := make([]float64, len(dense))
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
		linalg.MultiplyRows(dense, 0, x, want)
		for i, y := range sparse.multiplyRoot(x) {
			if math.Float64bits(y) != math.Float64bits(want[i]) {
				t.Fatalf("entry %d of the image of %v is %v, want %v", i, x, y, want[i])
			}
		}
	}
}

// TestSimilarityRoot: gonum's product of the root with itself is M.
func TestSimilarityRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, n := rapid.IntRange(1, 6).Draw(t, "features"), rapid.IntRange(0, 8).Draw(t, "rows")
		rows := rapid.SliceOfN(rapid.Float64Range(-4, 4), n*d, n*d).Draw(t, "numbers")
		counts := rapid.SliceOfN(rapid.Int64Range(1, 9), n, n).Draw(t, "counts")
		s, err := newFactoredSimilarity(context.Background(), d,
			DataTransitions(linalg.Dataset{Dims: d, Rows: schema.NewSparseRows(d, rows), Counts: counts}))
		if err != nil {
			t.Fatal(err)
		}
		want, largest := mat.NewDense(d, d, nil), 0.0
		for _, x := range rows {
			largest = max(largest, math.Abs(x))
		}
		for i, c := range counts {
			row := mat.NewVecDense(d, slices.Clone(rows[i*d:(i+1)*d]))
			if largest > 0 {
				row.ScaleVec(1/largest, row)
			}
			want.RankOne(want, float64(c), row, row)
		}
		got := mat.NewDense(d, d, nil)
		for i := range s.Coordinates() {
			v := mat.NewVecDense(d, s.rows[i].Dense(d))
			got.RankOne(got, 1, v, v)
		}
		got.Sub(got, want)
		if off := mat.Norm(got, 2); off > 1e-12 {
			t.Fatalf("RᵀR is off by %v", off)
		}
		if s.Rank() > min(n, d) {
			t.Fatalf("rank %d of %d rows of %d features", s.Rank(), n, d)
		}
	})
}

// drawEdges draws the transitions of a graph of some features, some of which lead to what is no feature.
func drawEdges(t *rapid.T, dims int) []linalg.CountedRow {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) linalg.CountedRow {
		ends := []int{rapid.IntRange(-1, dims-1).Draw(t, "from"), rapid.IntRange(0, dims-1).Draw(t, "to")}
		slices.Sort(ends)
		value := rapid.SampledFrom([]float64{1, -1, 0.5}).Draw(t, "value")
		row := schema.SparseRow{{Feature: int32(ends[0]), Value: value}, {Feature: int32(ends[1]), Value: -value}}
		switch {
		case ends[0] == ends[1]:
			row = nil
		case ends[0] < 0:
			row = row[1:]
		}
		return linalg.CountedRow{Row: row, Count: rapid.Int64Range(1, 9).Draw(t, "count")}
	}), 0, 3*dims).Draw(t, "transitions")
}

// TestEdgeRoot: where features are states, the root by edges gives the rank and the cosines of the Cholesky factor, and
// a vector that is constant where it can be rewards nothing.
func TestEdgeRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 12).Draw(t, "features")
		transitions, edges := drawEdges(t, dims), &edgeRoot{}
		each := func(add func(row schema.SparseRow, n int64)) {
			for _, c := range transitions {
				add(c.Row, c.Count)
			}
		}
		factored, err := newFactoredSimilarity(context.Background(), dims, each)
		if each(edges.add); err != nil || edges.others {
			t.Fatalf("%v, or %v are no edges", err, transitions)
		}
		byEdges := edges.similarity(dims)
		if byEdges.Rank() != factored.Rank() || byEdges.Coordinates() > len(transitions) {
			t.Fatalf("rank %d, want %d, by %d rows", byEdges.Rank(), factored.Rank(), byEdges.Coordinates())
		}
		vector := rapid.SliceOfN(rapid.Float64Range(-1, 1), dims, dims)
		constant := slices.Repeat([]float64{0.1}, dims)
		v, w := vector.Draw(t, "v"), vector.Draw(t, "w")
		for _, pair := range [][2][]float64{{v, w}, {v, v}, {v, constant}, {constant, constant}} {
			if isDoubtful(factored, pair) || isDoubtful(byEdges, pair) {
				continue // rounding alone can make another cosine
			}
			if got, want := byEdges.Cos(pair[0], pair[1]), factored.Cos(pair[0], pair[1]); math.Abs(got-want) > 1e-9 {
				t.Fatalf("cosine %v, want %v, of %v", got, want, pair)
			}
		}
	})
}

// isDoubtful reports whether the rewards of a vector are so small that many of their digits may be rounding, but not so
// small that all of them certainly are.
func isDoubtful(s *Similarity, pair [2][]float64) bool {
	return slices.ContainsFunc(pair[:], func(v []float64) bool {
		length, noise := linalg.Norm(s.multiplyRoot(v)), float64(s.minLength*linalg.Norm(v))
		return length > noise/10 && length < 1e6*noise
	})
}

// TestManyStates: where features are states, memory grows with the transitions.
func TestManyStates(t *testing.T) {
	const width, perTransition = 50, 256 // M of 2500 states would have 50 MB
	env := podtest.Grid(t, openMap(width), 0)
	env.Model()
	before, after := runtime.MemStats{}, runtime.MemStats{}
	runtime.ReadMemStats(&before)
	s := modelSimilarity(t, env)
	runtime.ReadMemStats(&after)
	// a tree of all cells; an edge for each two neighbours
	if edges := 2 * width * (width - 1); s.Rank() != width*width-1 || s.Coordinates() != edges {
		t.Errorf("rank %d, %d rows, want %d and %d", s.Rank(), s.Coordinates(), width*width-1, edges)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*width*width*perTransition {
		t.Errorf("%d bytes for %d transitions", took, 4*width*width)
	}
}

// openMap returns the map of a square without inner walls.
func openMap(width int) string {
	cells := bytes.Repeat([]byte(strings.Repeat(".", width)+"\n"), width)
	cells[0], cells[len(cells)-2] = 'S', 'G'
	return fmt.Sprintf("%d,%d\n%s", width, width, cells)
}

// TestSimilarityIsCancelled: the error is that of the context, whatever the features are.
func TestSimilarityIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, env := range []envs.SimulatedEnv{podtest.Ring(t, 5, 0), podtest.Grid(t, openMap(5), 0)} {
		if _, err := NewSimilarity(ctx, len(env.Features()), ModelTransitions(env)); !errors.Is(err, context.Canceled) {
			t.Errorf("%d features: %v", len(env.Features()), err)
		}
	}
}

// TestRestrict: vectors that are 0 in some features have the cosines of their other entries, bit by bit, whether R has
// a row for each edge or is a factor.
func TestRestrict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 12).Draw(t, "features")
		transitions, edges := drawEdges(t, dims), &edgeRoot{}
		each := func(add func(row schema.SparseRow, n int64)) {
			for _, c := range transitions {
				add(c.Row, c.Count)
			}
		}
		factored, err := newFactoredSimilarity(context.Background(), dims, each)
		if each(edges.add); err != nil {
			t.Fatal(err)
		}
		var features []int
		var pair, restricted [2][]float64
		for feature := range dims {
			if kept := rapid.Bool().Draw(t, "kept"); kept {
				features = append(features, feature)
			}
			for i := range pair {
				x := 0.0
				if len(features) > 0 && features[len(features)-1] == feature {
					x = rapid.Float64Range(-1, 1).Draw(t, "entry")
					restricted[i] = append(restricted[i], x)
				}
				pair[i] = append(pair[i], x)
			}
		}
		for _, s := range []*Similarity{factored, edges.similarity(dims)} {
			got := s.Restrict(features).Cos(restricted[0], restricted[1])
			if want := s.Cos(pair[0], pair[1]); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("cosine %v, want %v, by features %v of %v and %v", got, want, features, pair[0], pair[1])
			}
		}
	})
}
