package linalg

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema/wire"
)

// A Decomposition computes the singular value decomposition of a dataset in steps. It reports its progress, can be
// stopped between two steps, and can be resumed with the same result.
type Decomposition struct {
	how     Factoring
	data    Dataset
	rounded bool // with Gram: the numbers need not be whole
	watch   watch

	resumed *decompositionState        // state to continue from, nil to begin
	current func() *decompositionState // state between two steps, nil before saving it is worthwhile
}

// decompositionState is the state of a decomposition between two steps.
type decompositionState struct {
	Step    int  `cbor:"step"`    // eigenvalues found, or the first column of the next pair
	Column  int  `cbor:"column"`  // the other column of that pair
	Sweep   int  `cbor:"sweep"`   // of the Jacobi method
	Rotated bool `cbor:"rotated"` // in this sweep

	Live    []int  `cbor:"live"` // columns that are not left out
	Height  int    `cbor:"height"`
	Columns []byte `cbor:"columns"` // those of UΣ, or T's diagonal
	Numbers []byte `cbor:"numbers"` // the squares of the columns, or T's off-diagonal
	Vectors []byte `cbor:"vectors"`

	Noise float64 `cbor:"noise"` // of T

	// Rows is the number of rows reduced so far; Columns then holds the columns of the triangular factor. It is 0
	// unless rows are being reduced.
	Rows int `cbor:"rows,omitempty"`
}

// NewDecomposition returns a decomposition of D that has not begun.
func NewDecomposition(how Factoring, d Dataset) *Decomposition {
	return &Decomposition{how: how, data: d}
}

// maxDecompositionState limits the columns and vectors of the state, in bytes. It is part of a
// checkpoint, whose row has at most 64 MiB with the list of its records.
const maxDecompositionState = 48 << 20

// State returns the state to resume from, nil if the decomposition has hardly begun or its state is too large to keep.
// It must be called in the function given to [Decomposition.Run], or after Run has returned that function's error.
func (d *Decomposition) State() ([]byte, error) {
	if d.current == nil {
		return nil, nil
	}
	s := d.current()
	if s == nil {
		return nil, nil
	}
	return wire.Marshal(s)
}

// with adds columns and vectors to the state. It returns nil if they are too large to keep.
func (d *decompositionState) with(columns, vectors [][]float64) *decompositionState {
	if n := int64(len(d.Live)); n*(n+int64(d.Height)) > maxDecompositionState/8 {
		return nil
	}
	d.Columns, d.Vectors = packFloats(columns...), packFloats(vectors...)
	return d
}

// Resume makes the decomposition continue from a state, as [Decomposition.State] returned it for the
// same data.
func (d *Decomposition) Resume(state []byte) error {
	d.resumed = &decompositionState{}
	if err := wire.Unmarshal(state, d.resumed); err != nil {
		return err
	}
	s, n, rows := d.resumed, d.data.Dims, len(d.data.Rows)
	if s.Rows == 0 {
		return s.check(n)
	}
	if d.how == Gram || d.how == Symmetric || rows <= n || s.Rows < 0 || s.Rows >= rows || s.Rows%reducedRows != 0 ||
		len(s.Columns)%8 != 0 || !areFinite(s.Columns) {
		return errDecompositionState
	}
	return nil
}

// check returns an error for a state that no decomposition has, unless it reduces rows.
func (d *decompositionState) check(dims int) error {
	n := len(d.Live)
	has := func(b []byte, columns, height int) bool {
		return height <= maxDecompositionState && int64(len(b)) == 8*int64(columns)*int64(height)
	}
	ok := n <= dims && d.Step >= 0 && d.Step <= n && d.Column >= 0 && d.Column <= n+1 &&
		d.Sweep >= 0 && d.Height >= 0 &&
		has(d.Columns, n, d.Height) && has(d.Numbers, n, 1) && has(d.Vectors, n, n) &&
		areFinite(d.Columns) && areFinite(d.Numbers) && areFinite(d.Vectors) && d.Noise >= 0
	for i, column := range d.Live {
		ok = ok && column >= 0 && column < dims && (i == 0 || column > d.Live[i-1])
	}
	if !ok {
		return errDecompositionState
	}
	return nil
}

// errDecompositionState reports a state that no decomposition has.
var errDecompositionState = fmt.Errorf("%w: the state of a decomposition", wire.ErrMalformed)

// packFloats returns numbers as bytes, little-endian.
func packFloats(columns ...[]float64) []byte {
	size := 0
	for _, column := range columns {
		size += 8 * len(column)
	}
	b := make([]byte, 0, size)
	for _, column := range columns {
		for _, x := range column {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// unpackFloats returns the columns of the given height in bytes of [packFloats].
func unpackFloats(b []byte, columns, height int) [][]float64 {
	all := newMatrix(columns, height)
	for j := range all {
		for i := range all[j] {
			all[j][i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*(j*height+i):]))
		}
	}
	return all
}

// watch counts the work of a decomposition, and reports it between two of its steps.
type watch struct {
	tick        func(done, total int64) error // its error ends the decomposition
	done, total float64                       // approximate number of arithmetic operations
	reported    float64                       // done as of the last tick
}

// tickWork is the work between two ticks, some milliseconds.
const tickWork = 1 << 22

// advance adds the work of a step to what is done, and calls tick if that is due. It returns tick's
// error.
func (w *watch) advance(work float64) error { return w.advanceTo(w.done + float64(work)) }

// advanceTo sets the work done so far, and calls tick if that is due. It returns tick's error.
func (w *watch) advanceTo(done float64) error {
	if w.done = done; w.done < w.reported+tickWork {
		return nil
	}
	w.reported = w.done
	return w.tick(int64(w.done), int64(max(w.total, w.done)))
}

// cube returns x³.
func cube(x int) float64 { return float64(x) * float64(x) * float64(x) }
