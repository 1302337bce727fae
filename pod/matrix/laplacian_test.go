package matrix

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// everyMove returns what a method learns of all transitions of a model, each seen n times.
func everyMove(env envs.ModelEnv, table StateMatrix, n int) StateMatrix {
	m := env.Model()
	for s := range m.States {
		for a := range m.Actions {
			for range n {
				table.Observe(envs.Transition{State: int32(s), Action: uint8(a), Next: int32(m.Next(s, a))}, false)
			}
		}
	}
	return table
}

// TestLaplacianEigenvalues: 2 − σ of each map's matrix, to six digits, as an
// independent numpy program found λ2, λ3 and λ4 of the normalised Laplacian; λ1 is 0
// and its vector √degree. On bipartite graphs such as grids the last is 2.
func TestLaplacianEigenvalues(t *testing.T) {
	for name, want := range map[string][3]float64{
		"four-rooms": {.007007, .008495, .017414}, "open": {.028598, .028598, .060307},
		"i-maze": {.015390, .063120, .145913}, podtest.OpenThree: {1 - 1/math.Sqrt(3), 1 - 1/math.Sqrt(3), 1},
	} {
		env := podtest.Grid(t, name, 0)
		g := everyMove(env, newAdjacency(schema.Spec{}), 3).(*adjacency)
		data, err := g.Dataset(env.States())
		if err != nil {
			t.Fatal(err)
		}
		f, err := linalg.Factor(context.Background(), FactoringOf(schema.Laplacian), data)
		if err != nil {
			t.Fatal(err)
		}
		for j, lambda := range want {
			if got := *schema.Laplacian.Lambda(f.Sigma[j+1]); math.Abs(got-lambda) > 1e-6 {
				t.Errorf("%q: λ%d is %v, want %v", name, j+2, got, lambda)
			}
		}
		if last := f.Sigma[f.Dims-1]; math.Abs(f.Sigma[0]-2) > 1e-12 || last > 1e-12 {
			t.Errorf("%q: σ from %v to %v, want 2 to 0", name, f.Sigma[0], last)
		}
		for s := range env.States() {
			d := g.degreeOf(s)
			if ratio := f.V[s*f.Dims] / math.Sqrt(float64(d)); math.Abs(ratio-f.V[0]/math.Sqrt(float64(g.degreeOf(0)))) > 1e-12 {
				t.Errorf("%q: the first vector is %v in a state of degree %d", name, f.V[s*f.Dims], d)
			}
		}
		if f.Total != int64(env.States()) {
			t.Errorf("%q: %d rows of %d states", name, f.Total, env.States())
		}
	}
}

// degreeOf returns how many neighbours a state has.
func (a *adjacency) degreeOf(s int) int64 {
	place, ok := a.places[int32(s)]
	if !ok {
		return 0
	}
	return a.degree(place)
}

// TestAdjacency: what is observed either way, once or often, is one edge; what stays
// is none; and a state without neighbours has no row.
func TestAdjacency(t *testing.T) {
	g := newAdjacency(schema.Spec{})
	for _, m := range []envs.Transition{{State: 0, Next: 69}, {State: 69, Next: 0, Action: 1}, {State: 0, Next: 69},
		{State: 5, Next: 5}, {State: 69, Next: 64}} {
		g.Observe(m, false)
	}
	before := g.Clone().(*adjacency)
	g.Observe(envs.Transition{State: 1, Next: 2}, false)
	for s, want := range map[int]int64{0: 1, 69: 2, 64: 1, 5: 0, 1: 0} {
		if got := before.degreeOf(s); got != want {
			t.Errorf("state %d has degree %d, want %d", s, got, want)
		}
	}
	d, err := g.Dataset(70)
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for _, c := range d.Counts {
		rows += c
	}
	// 0, 64 and 69 have a row each; 1 and 2, which have no neighbour but each other,
	// have the same: (1, 1).
	if rows != 5 || len(d.Counts) != 4 || slices.Max(d.Counts) != 2 {
		t.Errorf("rows counted %v", d.Counts)
	}
}

// TestPODIsTheLaplacian: of the rows T that change the state, seen as one-hot, TᵀT is
// twice the combinatorial Laplacian, exactly; so POD's directions are its eigenvectors.
func TestPODIsTheLaplacian(t *testing.T) {
	for _, name := range []string{"four-rooms", "open", "i-maze", podtest.OpenThree} {
		env := podtest.Grid(t, name, 0)
		n := env.States()
		laplacian, gram := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		var rows []linalg.CountedRow
		m, classes := env.Model(), envs.RowClassesOf(env)
		for s := range n {
			for a := range m.Actions {
				next := m.Next(s, a)
				if next == s {
					continue
				}
				laplacian.Set(s, s, laplacian.At(s, s)+1)
				laplacian.Set(s, next, laplacian.At(s, next)-1)
				row := classes.RowDifference(classes.RowClass(s, a))
				rows = append(rows, linalg.CountedRow{Row: row, Count: 1})
				gram.RankOne(gram, 1, mat.NewVecDense(n, row.Dense(n)), mat.NewVecDense(n, row.Dense(n)))
			}
		}
		var twice mat.Dense
		twice.Scale(2, laplacian)
		if !mat.Equal(gram, &twice) {
			t.Errorf("%q: TᵀT is not 2L", name)
		}
		f, err := linalg.Factor(context.Background(), linalg.Reduced, linalg.NewDataset(n, rows))
		if err != nil {
			t.Fatal(err)
		}
		v := mat.NewDense(n, n, f.V)
		for j, sigma := range f.Sigma {
			var lv mat.VecDense
			lv.MulVec(laplacian, v.ColView(j))
			lv.AddScaledVec(&lv, -sigma*sigma/2, v.ColView(j))
			if off := mat.Norm(&lv, 2); off > 1e-11 {
				t.Errorf("%q: direction %d is off an eigenvector by %v", name, j+1, off)
			}
		}
	}
}
