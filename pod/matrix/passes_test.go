package matrix

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestPasses: a matrix that learns in passes is the one that observes each iteration's transitions as often, in their
// order, wherever the iterations are cut, and however often one is ended.
func TestPasses(t *testing.T) {
	env := podtest.Grid(t, "four-rooms", 0)
	rapid.Check(t, func(t *rapid.T) {
		spec := podtest.PaperSpec()
		spec.Method = rapid.SampledFrom([]schema.Method{schema.Successor, schema.SuccessorFeatures}).Draw(t, "method")
		passes := rapid.IntRange(2, 5).Draw(t, "passes")
		once := NewStateMatrix(env, spec)
		spec.PsiPasses = int64(passes)
		all := NewStateMatrix(env, spec)
		for range rapid.IntRange(1, 3).Draw(t, "iterations") {
			moves, resets := randomMoves(t)
			all = all.Clone()
			all.Begin()
			for i, m := range moves {
				all.Observe(m, resets[i])
			}
			for range rapid.IntRange(1, 2).Draw(t, "ends") {
				if err := all.End(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for range passes {
				for i, m := range moves {
					once.Observe(m, resets[i])
				}
			}
		}
		got, err := all.Dataset(env.States())
		want, errWant := once.Dataset(env.States())
		if errors.Join(err, errWant) != nil || !slices.EqualFunc(got.Rows, want.Rows, slices.Equal) {
			t.Fatalf("%v, %v: %v, want %v", err, errWant, got.Rows, want.Rows)
		}
	})
}

// TestPassesEnd: passes end with their context, and take no memory for transitions in more states than a matrix has.
func TestPassesEnd(t *testing.T) {
	spec := visitedSpec(schema.Successor)
	spec.PsiPasses = 1 << 16
	m := NewStateMatrix(nil, spec)
	for s := range int32(100) {
		m.Observe(envs.Transition{State: s, Next: s + 1}, false)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.End(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("passes after the context was cancelled: %v", err)
	}
	spec.PsiPasses = 2
	m = NewStateMatrix(nil, spec)
	for s := range int32(2 * MaxMethodStates) {
		m.Observe(envs.Transition{State: s, Next: s + 1}, false)
	}
	if n := len(m.(*repeated).seen); n > MaxMethodStates {
		t.Errorf("%d transitions are remembered", n)
	}
}

// TestSymmetricPart: the matrix is (Ψ + Ψᵀ)/2 of the Ψ that Observe defines, over the states that transitions began or
// ended in; and its first right singular vector has entries of one sign and is the eigenvector of the largest
// eigenvalue, which is σ: the matrix has no negative entry (Perron & Frobenius).
func TestSymmetricPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves, resets := randomMoves(t)
		spec := visitedSpec(schema.Successor)
		spec.PsiPasses, spec.PsiPart = int64(rapid.IntRange(1, 20).Draw(t, "passes")), schema.SymmetricPart
		m := NewStateMatrix(nil, spec)
		for i, x := range moves {
			m.Observe(x, resets[i])
		}
		if err := m.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, err := m.Dataset(41)
		if err != nil {
			t.Fatal(err)
		}
		psi := m
		if r, ok := m.(*repeated); ok {
			psi = r.StateMatrix
		}
		n, want := len(d.Columns), []schema.SparseRow{}
		part := make([][]float64, n)
		for i, s := range d.Columns {
			part[i] = make([]float64, n)
			for j, next := range d.Columns {
				part[i][j] = (psi.(*successor).at(int(s), int(next)) + psi.(*successor).at(int(next), int(s))) / 2
			}
			want = append(want, schema.NewSparseRow(part[i]))
		}
		slices.SortFunc(want, schema.CompareSparseRows)
		if want = slices.CompactFunc(want, slices.Equal); !slices.EqualFunc(d.Rows, want, slices.Equal) {
			t.Fatalf("%v, want %v", d.Rows, want)
		}
		f, err := linalg.Factor(t.Context(), linalg.Reduced, d)
		if err != nil {
			t.Fatal(err)
		}
		isAlone := n == 1 || f.Sigma[1] < f.Sigma[0]-1e-6 // or else any vector of the span may be the first
		for i, row := range part {
			own := f.V[i*f.Dims]
			if product := dot(row, func(j int) float64 { return f.V[j*f.Dims] }); isAlone &&
				(math.Abs(product-f.Sigma[0]*own) > 1e-9*f.Sigma[0] || own < -1e-9) {
				t.Fatalf("σ %v: entry %d of the first direction is %v, of its product %v", f.Sigma[0], i, own, product)
			}
		}
	})
}

func dot(row []float64, at func(int) float64) (sum float64) {
	for j, x := range row {
		sum += x * at(j)
	}
	return sum
}

// TestSymmetricPartOfTwoStates: of two states that follow each other Ψ is symmetric in the end, with eigenvalues
// 1/(1 − γ) and 1/(1 + γ). If the first always leads to the second, and nothing follows that, Ψ = (1 γ; 0 0), and the
// symmetric part has the eigenvalues (1 ± √(1 + γ²))/2, one of which is negative: its σ is their magnitude.
func TestSymmetricPartOfTwoStates(t *testing.T) {
	const gamma = 0.8
	spec := visitedSpec(schema.Successor)
	spec.Gamma, spec.PsiGamma, spec.PsiPasses, spec.PsiPart = gamma, 0, 5000, schema.SymmetricPart
	for _, c := range []struct {
		moves []envs.Transition
		want  []float64
	}{
		{walkOf(0, 1, 0), []float64{1 / (1 - gamma), 1 / (1 + gamma)}},
		{[]envs.Transition{{State: 0, Next: 1, Terminal: true}},
			[]float64{(1 + math.Sqrt(1+gamma*gamma)) / 2, (math.Sqrt(1+gamma*gamma) - 1) / 2}},
	} {
		m := NewStateMatrix(nil, spec)
		for _, x := range c.moves {
			m.Observe(x, false)
		}
		if err := m.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := factorsOf(t, m, 2)
		for j, want := range c.want {
			if math.Abs(f.Sigma[j]-want) > 1e-9 {
				t.Errorf("σ %v, want %v", f.Sigma, c.want)
			}
		}
	}
}
