package importer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// MaxDistinct limits the memory of the distinct rows of D, in bytes, and that of an array in
// Fortran order, which has to be transposed.
const MaxDistinct = 1 << 28

// rowOverhead is the approximate memory of a distinct row beyond its numbers, in bytes.
const rowOverhead = 64

// ReadRows reads delta and counts its distinct rows.
func (s Source) ReadRows(ctx context.Context) (Data, error) {
	x, err := s.archive.open(s.Prefix + "delta")
	if err != nil {
		return Data{}, err
	}
	defer x.member.Close()
	if err := checkShape(x); err != nil {
		return Data{}, err
	}
	counted, size := &counter{at: map[string]int{}}, &magnitude{}
	err = x.eachRow(ctx, func(row []float64) error {
		size.add(row)
		return counted.add(row)
	})
	if err != nil {
		return Data{}, err
	}
	if err := x.checkEnd(); err != nil {
		return Data{}, err
	}
	if err := size.check(x.name); err != nil {
		return Data{}, err
	}
	rows := counted.rows(int(x.shape[1]))
	record, err := rows.Encode()
	if err != nil {
		return Data{}, err
	}
	return newData(schema.KindRows, [][]byte{record}, rows.Total, rows.Dims)
}

func checkShape(x *array) error {
	switch {
	case len(x.shape) != 2 || x.shape[0] < 1 || x.shape[1] < 1:
		return schema.Hint(fmt.Errorf("%s: %w: its shape is %v", x.name, ErrArray, x.shape),
			"give D as n rows of d features, with n and d at least 1")
	case x.shape[0] > schema.MaxSteps:
		return schema.Hint(fmt.Errorf("%s: %w: %d rows", x.name, ErrArray, x.shape[0]), "import at most %d rows",
			int64(schema.MaxSteps))
	case x.shape[1] > envs.MaxRowFeatures:
		return schema.Hint(fmt.Errorf("%s: %w: %d features", x.name, ErrArray, x.shape[1]),
			"import at most %d features", envs.MaxRowFeatures)
	}
	return nil
}

// eachRow calls visit with each row, in order.
func (a *array) eachRow(ctx context.Context, visit func([]float64) error) error {
	if a.fortran {
		return a.eachFortranRow(ctx, visit)
	}
	row, slice := make([]float64, a.shape[1]), max(1, sliceSteps/a.shape[1])
	for i := range a.shape[0] {
		if i%slice == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := a.readFloats(row); err != nil {
			return err
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// eachFortranRow reads all columns before the first row. Memory grows while they are read.
func (a *array) eachFortranRow(ctx context.Context, visit func([]float64) error) error {
	n, d := a.shape[0], a.shape[1]
	if n > MaxDistinct/8/d {
		return schema.Hint(fmt.Errorf("%s: %w: %d rows of %d features in Fortran order", a.name, ErrArray, n, d),
			"arrays of this size must be in C order: use numpy.ascontiguousarray")
	}
	var columns []float64
	for left := n * d; left > 0; left = n*d - int64(len(columns)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := make([]float64, min(sliceSteps, left))
		if err := a.readFloats(part); err != nil {
			return err
		}
		columns = append(columns, part...)
	}
	row := make([]float64, d)
	for i := range n {
		for j := range d {
			row[j] = columns[j*n+i]
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// magnitude bounds σ, which is at most the root of the sum of all squares.
type magnitude struct {
	rows        int64
	squares     float64 // of the numbers times magnitudeScale, so that squares cannot overflow
	largest     float64
	row, column int64 // of the largest
}

const (
	magnitudeScale = 0x1p-600
	maxMagnitude   = 0x1p1020 // leaves room for the sums in computing σ
)

func (m *magnitude) add(row []float64) {
	for j, v := range row {
		if size := math.Abs(v); size > m.largest {
			m.largest, m.row, m.column = size, m.rows, int64(j)
		}
		scaled := v * magnitudeScale
		m.squares += float64(scaled * scaled)
	}
	m.rows++
}

// check returns an error if D, the array of that name, is too large to be factored.
func (m *magnitude) check(name string) error {
	if math.Sqrt(m.squares) <= maxMagnitude*magnitudeScale {
		return nil
	}
	return schema.Hint(fmt.Errorf("%s[%d,%d] is %.3g in magnitude: %w: the root of its squares' sum is beyond %.3g, "+
		"the largest σ", name, m.row, m.column, m.largest, ErrArray, float64(maxMagnitude)),
		"scale D to less than 1e150")
}

// counter counts distinct rows.
type counter struct {
	at     map[string]int // position of a row, by the bits of its numbers
	counts []int64
	key    []byte
}

func (c *counter) add(row []float64) error {
	c.key, _ = binary.Append(c.key[:0], binary.LittleEndian, row) // numbers have a fixed size
	i, known := c.at[string(c.key)]
	if !known {
		if i = len(c.counts); i >= MaxDistinct/(len(c.key)+rowOverhead) {
			return schema.Hint(fmt.Errorf("%w: more than %d distinct rows of %d features", ErrData, i, len(row)),
				"D is kept by its distinct rows: round the features, or import fewer")
		}
		c.at[string(c.key)], c.counts = i, append(c.counts, 0)
	}
	c.counts[i]++
	return nil
}

// rows returns the distinct rows in order.
func (c *counter) rows(dims int) schema.Rows {
	type counted struct {
		row   []float64
		count int64
	}
	all := make([]counted, 0, len(c.counts))
	for key, i := range c.at {
		all = append(all, counted{wire.DecodeFloats([]byte(key)), c.counts[i]})
	}
	slices.SortFunc(all, func(a, b counted) int { return slices.Compare(a.row, b.row) })
	r := schema.Rows{Dims: dims}
	for _, x := range all {
		r.Rows, r.Counts, r.Total = append(r.Rows, x.row...), append(r.Counts, x.count), r.Total+x.count
	}
	return r
}
