package linalg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// svdOf returns the decomposition of a matrix by its columns, which it overwrites.
func svdOf(columns [][]float64) (sigma []float64, v [][]float64, err error) {
	x := NewDecomposition(Reduced, Dataset{Dims: len(columns)})
	x.watch.tick = func(int64, int64) error { return nil }
	return x.svd(func() ([][]float64, error) { return columns, nil })
}

// wholeRows returns rows of D whose entries are whole numbers, or fractions.
func wholeRows(t *rapid.T, rows, dims int, fractions bool) Dataset {
	d := Dataset{Dims: dims}
	var dense []float64
	for range rows * dims {
		x := float64(rapid.IntRange(-2, 2).Draw(t, "entry"))
		if fractions {
			x /= 3
		}
		dense = append(dense, x)
	}
	d.Rows = schema.NewSparseRows(dims, dense)
	for i := range d.Rows {
		d.Counts = append(d.Counts, int64(1+i%3))
	}
	return d
}

// drawDataset returns rows for a factoring: whole numbers, the Laplacian of a graph, or fractions.
func drawDataset(t *rapid.T, how Factoring, rows, dims int) Dataset {
	if how != Symmetric {
		return wholeRows(t, rows, dims, how != Gram)
	}
	matrix := NewSquare(dims)
	for range rows {
		i, j := rapid.IntRange(0, dims-1).Draw(t, "from"), rapid.IntRange(0, dims-1).Draw(t, "to")
		for side, at := range [2]int{i, j} {
			if i != j {
				matrix[at][at]++
				matrix[at][[2]int{j, i}[side]]--
			}
		}
	}
	counted := make([]CountedRow, dims)
	for i, row := range matrix {
		counted[i] = CountedRow{schema.NewSparseRow(row), 1}
	}
	return NewDataset(dims, counted)
}

var errStopped = errors.New("stopped")

// TestDecompositionResumes stops a decomposition after every few steps and goes on from its state,
// whose factors have to be those of one that was never stopped, to the last bit.
func TestDecompositionResumes(t *testing.T) {
	for _, how := range []Factoring{Gram, Reduced, Symmetric, Bidiagonal} {
		t.Run(how.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				dims := rapid.IntRange(1, 12).Draw(t, "dims")
				d := drawDataset(t, how, rapid.IntRange(1, 20).Draw(t, "rows"), dims)
				want, err := Factor(context.Background(), how, d)
				if err != nil {
					t.Fatal(err)
				}
				every := rapid.IntRange(1, 40).Draw(t, "steps")
				got, resumed := factorInParts(t, how, d, every)
				if err := equalFactors(want, got); err != nil {
					t.Errorf("resumed %d times: %v", resumed, err)
				}
			})
		})
	}
}

// TestReductionResumes does so while rows are reduced, of which there are several blocks.
func TestReductionResumes(t *testing.T) {
	for _, how := range []Factoring{Reduced, Scaled, Bidiagonal} {
		all := 0
		rapid.Check(t, func(t *rapid.T) {
			dims, stream := rapid.IntRange(1, 6).Draw(t, "dims"), rng.NewStream(rapid.Uint64().Draw(t, "seed"), 0, "test")
			rows := make([]CountedRow, reducedRows+rapid.IntRange(1, 3*reducedRows).Draw(t, "rows"))
			for i := range rows {
				dense := make([]float64, dims)
				for j := range dense {
					dense[j] = float64(stream.Below(1<<20)) / 3
				}
				rows[i] = CountedRow{schema.NewSparseRow(dense), int64(1 + stream.Below(3))}
			}
			d := NewDataset(dims, rows)
			want, err := Factor(context.Background(), how, d)
			if err != nil {
				t.Fatal(err)
			}
			got, resumed := factorInParts(t, how, d, rapid.IntRange(dims, 3*dims).Draw(t, "steps"))
			if err := equalFactors(want, got); err != nil {
				t.Errorf("%v, resumed %d times: %v", how, resumed, err)
			}
			all += resumed
		})
		if all == 0 {
			t.Errorf("%v was never resumed", how)
		}
	}
}

// TestReductionRefuses gives a decomposition states that none has while it reduces rows.
func TestReductionRefuses(t *testing.T) {
	d := Dataset{Dims: 1, Rows: make([]schema.SparseRow, 3*reducedRows), Counts: make([]int64, 3*reducedRows)}
	good := decompositionState{Rows: reducedRows, Height: 1, Live: []int{0}, Columns: packFloats([]float64{2})}
	resume := func(how Factoring, s decompositionState) error {
		return NewDecomposition(how, d).Resume(mustMarshal(t, s))
	}
	if err := resume(Reduced, good); err != nil {
		t.Fatal(err)
	}
	x := NewDecomposition(Reduced, d)
	if err := x.Resume(mustMarshal(t, good)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(func(int64, int64) error { return nil }); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("the factor of another number of features is accepted: %v", err)
	}
	for _, how := range []Factoring{Gram, Symmetric} {
		if err := resume(how, good); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%v: %v", how, err)
		}
	}
	for name, change := range map[string]func(s *decompositionState){
		"not between blocks": func(s *decompositionState) { s.Rows++ },
		"no rows left":       func(s *decompositionState) { s.Rows *= 3 },
		"negative":           func(s *decompositionState) { s.Rows = -s.Rows },
		"no numbers":         func(s *decompositionState) { s.Columns = s.Columns[:7] },
		"not a number":       func(s *decompositionState) { s.Columns = packFloats([]float64{math.NaN()}) },
	} {
		s := good
		if change(&s); !errors.Is(resume(Reduced, s), wire.ErrMalformed) {
			t.Errorf("%s is accepted", name)
		}
	}
}

func mustMarshal(t *testing.T, s decompositionState) []byte {
	t.Helper()
	b, err := wire.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReductionOfLiveFeatures compares with a reduction of all columns, those of zeros among them: the bits are
// the same.
func TestReductionOfLiveFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, stream := rapid.IntRange(1, 12).Draw(t, "dims"), rng.NewStream(rapid.Uint64().Draw(t, "seed"), 0, "test")
		changes := rapid.SliceOfN(rapid.Bool(), dims, dims).Draw(t, "changes")
		rows := make([]CountedRow, rapid.IntRange(dims+1, 2*reducedRows).Draw(t, "rows"))
		for i := range rows {
			dense := make([]float64, dims)
			for j := range dense {
				if changes[j] && stream.Below(3) > 0 {
					dense[j] = float64(stream.Below(1<<20)-1<<19) / 3
				}
			}
			rows[i] = CountedRow{schema.NewSparseRow(dense), int64(1 + stream.Below(3))}
		}
		d := NewDataset(dims, rows)
		x := NewDecomposition(Reduced, d)
		x.watch.tick = func(int64, int64) error { return nil }
		got, err := x.reduceRows(d, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, place := NewSquare(dims), func(feature int32) int { return int(feature) }
		for from := 0; from < len(d.Rows); from += reducedRows {
			block := weightedColumns(dims, d, from, min(from+reducedRows, len(d.Rows)), 2, place)
			for k := range block {
				reflectColumns(want, block, k)
			}
		}
		if !bytes.Equal(packFloats(got...), packFloats(want...)) {
			t.Fatalf("R is %v, want %v", got, want)
		}
	})
}

// factorInParts stops after so many steps, or a few more each time that nothing was saved.
func factorInParts(t *rapid.T, how Factoring, d Dataset, every int) (f schema.Factors, resumed int) {
	var state []byte
	for {
		x := NewDecomposition(how, d)
		if state != nil {
			if err := x.Resume(state); err != nil {
				t.Fatal(err)
			}
			resumed++
		}
		steps, before := -1, int64(-1)
		x.watch.reported = -tickWork // tick at every step
		f, err := x.Run(func(done, total int64) error {
			x.watch.reported = x.watch.done - tickWork
			if done < before || done > total {
				t.Fatalf("%d of %d are done, after %d", done, total, before)
			}
			before = done
			if steps++; steps > every {
				return errStopped
			}
			return nil
		})
		if err == nil {
			return f, resumed
		}
		if !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		next, err := x.State()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(next, state) {
			every += 20 // not all steps can be gone on from
		}
		state = next
	}
}

func equalFactors(x, y schema.Factors) error {
	a, errA := x.Encode()
	b, errB := y.Encode()
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if !slices.Equal(a, b) {
		return fmt.Errorf("σ %v and %v", x.Sigma, y.Sigma)
	}
	return nil
}

// TestDecompositionRefuses gives a decomposition states that none has.
func TestDecompositionRefuses(t *testing.T) {
	d := Dataset{Dims: 3, Rows: schema.NewSparseRows(3, []float64{1, 0, 2, 0, 3, 1}), Counts: []int64{1, 2}}
	good := func() decompositionState {
		return decompositionState{Live: []int{0, 2}, Height: 1, Columns: packFloats([]float64{1, 2}),
			Numbers: packFloats([]float64{1, 2}), Vectors: packFloats([]float64{1, 2}, []float64{3, 4})}
	}
	for name, change := range map[string]func(s *decompositionState){
		"a step beyond the last":   func(s *decompositionState) { s.Step = 3 },
		"a negative step":          func(s *decompositionState) { s.Step = -1 },
		"a column beyond the last": func(s *decompositionState) { s.Column = 4 },
		"no such feature":          func(s *decompositionState) { s.Live[1] = 3 },
		"features in disorder":     func(s *decompositionState) { s.Live = []int{2, 0} },
		"columns cut short":        func(s *decompositionState) { s.Columns = s.Columns[:15] },
		"a height that is not":     func(s *decompositionState) { s.Height = math.MaxInt },
		"vectors of another size":  func(s *decompositionState) { s.Vectors = s.Vectors[:24] },
		"a negative sweep":         func(s *decompositionState) { s.Sweep = -1 },
		"a column of no number":    func(s *decompositionState) { s.Columns = packFloats([]float64{1, math.NaN()}) },
		"an infinite square":       func(s *decompositionState) { s.Numbers = packFloats([]float64{math.Inf(1), 0}) },
		"a vector of no number":    func(s *decompositionState) { s.Vectors = packFloats([]float64{1, 2, 3, math.NaN()}) },
		"negative noise":           func(s *decompositionState) { s.Noise = -1 },
	} {
		s := good()
		change(&s)
		state, err := wire.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := NewDecomposition(Gram, d).Resume(state); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	state, err := wire.Marshal(good())
	if err != nil {
		t.Fatal(err)
	}
	if err := NewDecomposition(Gram, d).Resume(state); err != nil {
		t.Errorf("a good state: %v", err)
	}
	if err := NewDecomposition(Gram, d).Resume([]byte("no CBOR")); err == nil {
		t.Error("bytes that are no state are accepted")
	}
}

// TestForgedDecompositions goes on from states of any numbers, some of which overflow. That ends, with
// an error or with factors that are numbers.
func TestForgedDecompositions(t *testing.T) {
	number := rapid.SampledFrom([]float64{0, 1, -1, 0.5, 3, 5e-324, 1e-200, 1e200, math.MaxFloat64, -math.MaxFloat64})
	rapid.Check(t, func(t *rapid.T) {
		how := rapid.SampledFrom([]Factoring{Gram, Reduced, Symmetric, Bidiagonal}).Draw(t, "how")
		dims := rapid.IntRange(1, 5).Draw(t, "dims")
		d := drawDataset(t, how, rapid.IntRange(1, 8).Draw(t, "rows"), dims)
		numbers := func(what string, n int) []byte {
			return packFloats(rapid.SliceOfN(number, n, n).Draw(t, what))
		}
		s := decompositionState{Live: []int{}, Noise: max(0, number.Draw(t, "noise")), Height: 1}
		for j := range dims {
			if rapid.Bool().Draw(t, "lives") {
				s.Live = append(s.Live, j)
			}
		}
		n := len(s.Live)
		if how == Reduced {
			s.Height = rapid.IntRange(0, 8).Draw(t, "height")
		}
		s.Step, s.Column = rapid.IntRange(0, n).Draw(t, "step"), rapid.IntRange(0, n+1).Draw(t, "column")
		s.Sweep = rapid.IntRange(0, 70).Draw(t, "sweep")
		s.Columns, s.Numbers = numbers("columns", n*s.Height), numbers("numbers", n)
		s.Vectors = numbers("vectors", n*n)
		state, err := wire.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		x := NewDecomposition(how, d)
		if err := x.Resume(state); err != nil {
			t.Fatal(err)
		}
		f, err := x.Run(func(int64, int64) error { return nil })
		if err == nil && !(areFinite(packFloats(f.Sigma, f.V))) {
			t.Fatalf("σ %v, V %v", f.Sigma, f.V)
		}
	})
}

// TestLargeDecompositionState: the state of a decomposition of so many features that a checkpoint
// cannot hold it is none; that of a few less leaves room in the 64 MiB of a checkpoint's row.
func TestLargeDecompositionState(t *testing.T) {
	for dims, keeps := range map[int]bool{2500: true, 2520: false} {
		row := make([]float64, dims)
		for j := range row {
			row[j] = 1 / float64(j+1)
		}
		x := NewDecomposition(Reduced, Dataset{Dims: dims, Rows: schema.NewSparseRows(dims, row), Counts: []int64{1}})
		var state []byte
		_, err := x.Run(func(done, _ int64) (err error) {
			if done == 0 {
				return nil
			}
			if state, err = x.State(); err == nil {
				err = errStopped
			}
			return err
		})
		if !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		if keeps != (state != nil) || len(state) > 50<<20 {
			t.Errorf("%d features: %d bytes", dims, len(state))
		}
		if keeps {
			if err := x.Resume(state); err != nil {
				t.Error(err)
			}
		}
	}
}
