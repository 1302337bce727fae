package envs

import (
	"math/bits"

	"github.com/podtrack/podtrack/schema"
)

// difference returns φ(next) − φ(s). If features are many, most of its entries are 0.
func (o *ObservedStates) difference(s, next int) schema.SparseRow {
	switch o.kind {
	case schema.Discrete:
		return newUnitDifference(int32(o.discreteNumber(s)), int32(o.discreteNumber(next)))
	case schema.Binary:
		return o.binaryDifference(s, next)
	}
	row := make(schema.SparseRow, 0, o.countChanges(s, next))
	for i := range o.dims {
		if x := o.realAt(next, i) - o.realAt(s, i); x != 0 {
			row = append(row, schema.RowEntry{Feature: int32(i), Value: x})
		}
	}
	return row
}

// newUnitDifference returns the difference of two unit vectors.
func newUnitDifference(from, to int32) schema.SparseRow {
	left, entered := schema.RowEntry{Feature: from, Value: -1}, schema.RowEntry{Feature: to, Value: 1}
	switch {
	case from == to:
		return schema.SparseRow{}
	case from < to:
		return schema.SparseRow{left, entered}
	}
	return schema.SparseRow{entered, left}
}

func (o *ObservedStates) binaryDifference(s, next int) schema.SparseRow {
	before, after := o.observations[s], o.observations[next]
	row := make(schema.SparseRow, 0, o.countChanges(s, next))
	for i := range len(after) {
		for changed := before[i] ^ after[i]; changed != 0; changed &= changed - 1 {
			bit := bits.TrailingZeros8(changed)
			row = append(row, schema.RowEntry{Feature: int32(8*i + bit), Value: float64(int(after[i]>>bit&1)*2 - 1)})
		}
	}
	return row
}

// countChanges returns the number of features in which two binary or real observations differ.
func (o *ObservedStates) countChanges(s, next int) (n int) {
	before, after := o.observations[s], o.observations[next]
	if o.kind == schema.Binary {
		for i := range len(after) {
			n += bits.OnesCount8(before[i] ^ after[i])
		}
		return n
	}
	for i := range o.dims {
		if before[8*i:8*i+8] != after[8*i:8*i+8] {
			n++
		}
	}
	return n
}
