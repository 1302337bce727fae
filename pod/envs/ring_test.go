package envs_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

func ring(t rapid.TB, bits, hide int) envs.SimulatedEnv {
	t.Helper()
	env, err := envs.NewSimulated(schema.Env{Name: "ring", Version: 1,
		Params: map[string]int64{"bits": int64(bits), "hide": int64(hide)}})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// rings calls visit with every ring of up to the given bits.
func rings(t *testing.T, most int, visit func(bits, hide int, env envs.SimulatedEnv)) {
	for bits := 1; bits <= most; bits++ {
		for hide := range bits {
			visit(bits, hide, ring(t, bits, hide))
		}
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func TestRingNames(t *testing.T) {
	env := ring(t, 4, 1)
	if got := env.Actions(); !slices.Equal(got, []string{"left", "right"}) {
		t.Errorf("actions %v", got)
	}
	if got := env.Features(); !slices.Equal(got, []string{"bit1", "bit2", "bit3"}) {
		t.Errorf("features %v, want the visible bits, the least significant first", got)
	}
	if env.Start() != 0 {
		t.Errorf("starts in %d", env.Start())
	}
	line := env.(*envs.Ring)
	if left, right := line.Offset(0), line.Offset(1); left != -1 || right != 1 {
		t.Errorf("left moves %d, right %d", left, right)
	}
}

// TestRingDifferences compares every transition with the bits of its states.
func TestRingDifferences(t *testing.T) {
	rings(t, 8, func(bits, hide int, env envs.SimulatedEnv) {
		classes := envs.RowClassesOf(env)
		for s := range 1 << bits {
			for a := range 2 {
				next := podtest.Neighbour(s, a, bits)
				if got := env.Step(s, a); got != next {
					t.Fatalf("%d bits: action %d in state %d leads to %d, want %d", bits, a, s, got, next)
				}
				if got := env.Model().Next(s, a); got != next {
					t.Fatalf("%d bits: the model leads from %d by %d to %d, want %d", bits, s, a, got, next)
				}
				class := classes.RowClass(s, a)
				if class < 0 || class >= classes.RowClasses() {
					t.Fatalf("%d bits: class %d of %d", bits, class, classes.RowClasses())
				}
				got := classes.RowDifference(class).Dense(bits - hide)
				if want := podtest.Difference(s, next, bits, hide); !sameBits(got, want) {
					t.Fatalf("%d bits, %d hidden: from %d to %d: %v, want %v", bits, hide, s, next, got, want)
				}
			}
		}
	})
}

// TestRingExactly factors all transitions of a ring of B bits, h hidden, each
// state both ways. Bit b flips in one of 2^b transitions, so its column has
// 2^(B+1)/2^b entries ±1; where two bits flip, they flip the same way as often
// as opposite ways, so the columns are orthogonal and no two are of one length:
// every right singular vector is a unit bit. Distinct rows: for each direction
// one per length 0…B of the carry; the carries that stay among the hidden bits
// are one row of zeros; a single visible bit leaves only +1 and −1.
func TestRingExactly(t *testing.T) {
	rings(t, 12, func(bits, hide int, env envs.SimulatedEnv) {
		var rows [][]float64
		for s := range 1 << bits {
			for a := range 2 {
				rows = append(rows, podtest.Difference(s, podtest.Neighbour(s, a, bits), bits, hide))
			}
		}
		f, err := linalg.Factor(context.Background(), linalg.Reduced, podtest.Counted(bits-hide, rows))
		if err != nil {
			t.Fatal(err)
		}
		if f.Total != 2<<bits {
			t.Errorf("%d bits: %d rows, want %d", bits, f.Total, 2<<bits)
		}
		if got, want := f.Distinct(), distinctRows(bits, hide); got != want {
			t.Errorf("%d bits, %d hidden: %d distinct rows, want %d", bits, hide, got, want)
		}
		for k, sigma := range f.Sigma {
			if want := math.Sqrt(math.Ldexp(1, bits+1-hide-k)); math.Abs(sigma-want) > 1e-13*want {
				t.Errorf("%d bits, %d hidden: σ%d = %v, want %v", bits, hide, k, sigma, want)
			}
			for i := range f.Dims {
				want := 0.0
				if i == k {
					want = 1
				}
				if math.Abs(f.V[i*f.Dims+k]-want) > 1e-13 {
					t.Errorf("%d bits, %d hidden: V[%d,%d] = %v, want %v", bits, hide, i, k, f.V[i*f.Dims+k], want)
				}
			}
		}
	})
	// facts.md, "The ring, exactly": 26 rows of 12 bits.
	if got := distinctRows(12, 0); got != 26 {
		t.Errorf("%d distinct rows of 12 bits, want 26", got)
	}
}

func distinctRows(bits, hide int) int {
	rows := 2 * (bits - hide + 1)
	if bits-hide == 1 {
		rows = 2
	}
	if hide > 0 {
		rows++
	}
	return rows
}

// TestPotential: w(s) has the bits of the dot product in feature order.
func TestPotential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(1, 8).Draw(t, "bits")
		hide := rapid.IntRange(0, bits-1).Draw(t, "hide")
		e := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), bits-hide, bits-hide).Draw(t, "e")
		want := make([]float64, 1<<bits)
		for s := range want {
			for i, x := range podtest.Difference(0, s, bits, hide) {
				want[s] += float64(e[i] * x)
			}
		}
		got := slices.Repeat([]float64{math.NaN()}, 1<<bits)
		ring(t, bits, hide).Potential(e, got)
		if !sameBits(got, want) {
			t.Fatalf("w = %v, want %v", got, want)
		}
	})
}
