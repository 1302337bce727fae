package envs

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/podtrack/podtrack/schema"
)

// Ring is the paper's domain: 2^Bits states on a circle. A state is a two's-complement
// integer of which the Hide least significant bits are not observed; its index is that
// integer modulo 2^Bits. Feature i is bit Hide + i. Action 0 goes left (−1), action 1
// right (+1).
type Ring struct {
	Bits, Hide int
	lazyModel
}

// maxRingBits limits the model to the memory of a large machine.
const maxRingBits = 28

func init() {
	registerBuiltin(RegisteredEnv{
		Name:    PaperEnv,
		Version: 1,
		Usage:   "2^bits states on a circle, seen as a two's-complement integer; actions left and right",
		States:  "the two's-complement integer modulo 2^bits",
		Parameters: []Parameter{
			{Name: "bits", Default: 12, Min: 1, Max: maxRingBits, Usage: "the number of bits of the state"},
			{Name: "hide", Default: 0, Min: 0, Max: maxRingBits - 1,
				Usage: "the number of least significant bits that are not observed"},
		},
		Build: newRing,
	})
}

func newRing(e schema.Env) (Env, error) {
	r := &Ring{Bits: int(e.Params["bits"]), Hide: int(e.Params["hide"])}
	if r.Hide >= r.Bits {
		return nil, schema.Hint(fmt.Errorf("%w: hiding %d of %d bits leaves no feature", schema.ErrSpec, r.Hide, r.Bits),
			"hide fewer bits than the ring has, at most %d", r.Bits-1)
	}
	r.build = func(ctx context.Context) (*Model, error) { return newModel(ctx, r.States(), 2, r.Step) }
	return r, nil
}

// States implements [Env].
func (r *Ring) States() int { return 1 << r.Bits }

// Actions implements [Env].
func (r *Ring) Actions() []string { return []string{"left", "right"} }

// Features implements [Env]: least significant visible bit first.
func (r *Ring) Features() []string {
	return namesOf(r.Bits-r.Hide, func(i int) string { return fmt.Sprintf("bit%d", r.Hide+i) })
}

// Start implements [SteppableEnv]: coordinate 0.
func (r *Ring) Start() int { return 0 }

// Step implements [SteppableEnv].
func (r *Ring) Step(s, a int) int { return (s + 2*a - 1) & (r.States() - 1) }

// Offset returns the signed steps that action a moves: no wall stops it, and it never slips. Distance on a ring is
// counted in unwrapped steps, unlike the distance of a [Metric].
func (r *Ring) Offset(a int) int64 { return int64(2*a - 1) }

// Period returns the number of states after which feature i has the same value again.
func (r *Ring) Period(i int) int { return 1 << (r.Hide + i + 1) }

// RowClasses implements [RowClasses]: a step flips a run of t low bits and the bit above it, so
// direction and t determine the row.
func (r *Ring) RowClasses() int { return 2 * (r.Bits + 1) }

// RowClass implements [RowClasses].
func (r *Ring) RowClass(s, a int) int {
	low := uint(s) // going left borrows from trailing zeros
	if a == 1 {
		low = ^low // going right carries through trailing ones
	}
	return a*(r.Bits+1) + bits.TrailingZeros(low|1<<r.Bits)
}

// RowDifference implements [RowClasses].
func (r *Ring) RowDifference(class int) schema.SparseRow {
	row, right, t := schema.SparseRow{}, class/(r.Bits+1), class%(r.Bits+1)
	sign := float64(2*right - 1)
	for b := r.Hide; b <= t && b < r.Bits; b++ {
		x := 0 - sign
		if b == t {
			x = sign
		}
		row = append(row, schema.RowEntry{Feature: int32(b - r.Hide), Value: x})
	}
	return row
}

// Observe implements [Env].
func (r *Ring) Observe(s int, dst []float64) {
	for i := range dst {
		dst[i] = float64(s >> (r.Hide + i) & 1)
	}
}

// Potential implements [Env]. Each bit doubles the table, so that w costs one
// addition a state and still adds its terms in feature order.
func (r *Ring) Potential(e, w []float64) {
	w[0] = 0
	for b := range r.Bits {
		term := 0.0
		if b >= r.Hide {
			term = e[b-r.Hide]
		}
		low, high := w[:1<<b], w[1<<b:2<<b]
		for s, x := range low {
			high[s] = x + term
		}
	}
}

// Deterministic implements [ModelEnv].
func (r *Ring) Deterministic() bool { return true }

// PaperEnv is the name of the environment of the paper's experiment.
const PaperEnv = "ring"
