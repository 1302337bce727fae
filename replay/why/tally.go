package why

import (
	"cmp"
	"slices"
)

// count holds the number of steps by row number; rows beyond its end have none.
type count []int64

func (c *count) add(row int, n int64) {
	for len(*c) <= row {
		*c = append(*c, 0)
	}
	(*c)[row] += n
}

func (c count) total() int64 {
	var n int64
	for _, x := range c {
		n += x
	}
	return n
}

// tally holds numbers of steps by row, in ascending order of the rows. Rows that are not listed have none. It is sparse
// because the steps of one option show only few of the rows of D.
type tally []rowSteps

// rowSteps is a number of steps that showed a row.
type rowSteps struct {
	row   int32
	steps int64
}

func (t tally) total() (n int64) {
	for _, x := range t {
		n += x.steps
	}
	return n
}

// plus returns the sum of two tallies.
func (t tally) plus(u tally) tally { return t.combine(u, 1) }

// minus returns the difference of two tallies.
func (t tally) minus(u tally) tally { return t.combine(u, -1) }

func (t tally) combine(u tally, sign int64) tally {
	sum := make(tally, 0, max(len(t), len(u)))
	for len(t) > 0 && len(u) > 0 {
		x := rowSteps{row: min(t[0].row, u[0].row)}
		if t[0].row == x.row {
			x.steps, t = x.steps+t[0].steps, t[1:]
		}
		if u[0].row == x.row {
			x.steps, u = x.steps+sign*u[0].steps, u[1:]
		}
		if x.steps != 0 {
			sum = append(sum, x)
		}
	}
	sum = append(sum, t...)
	for _, x := range u {
		sum = append(sum, rowSteps{x.row, sign * x.steps})
	}
	return sum
}

// dense returns the number of steps of each row.
func (t tally) dense() (c count) {
	for _, x := range t {
		c.add(int(x.row), x.steps)
	}
	return c
}

// compact returns the tally of the rows that have steps.
func (c count) compact() (t tally) {
	for row, n := range c {
		if n != 0 {
			t = append(t, rowSteps{int32(row), n})
		}
	}
	return t
}

// denseRows is the number of rows from which on steps are counted in an array.
const denseRows = 256

// tallyBuilder counts steps one by one, in memory for the rows that they show.
type tallyBuilder struct {
	steps tally // unordered; rows may be repeated
	many  count // of all rows, instead of steps from denseRows on
}

func (t *tallyBuilder) add(row int) {
	if len(t.steps) == 2*denseRows {
		if t.sort(); len(t.steps) > denseRows {
			t.many, t.steps = t.steps.dense(), nil
		}
	}
	if t.many != nil {
		t.many.add(row, 1)
		return
	}
	t.steps = append(t.steps, rowSteps{int32(row), 1})
}

// sort sorts the rows and merges repeated ones.
func (t *tallyBuilder) sort() {
	slices.SortFunc(t.steps, func(x, y rowSteps) int { return cmp.Compare(x.row, y.row) })
	sum := t.steps[:0]
	for _, x := range t.steps {
		if last := len(sum) - 1; last >= 0 && sum[last].row == x.row {
			sum[last].steps += x.steps
		} else {
			sum = append(sum, x)
		}
	}
	t.steps = sum
}

// tally returns the counts.
func (t *tallyBuilder) tally() tally {
	if t.many != nil {
		return t.many.compact()
	}
	t.sort()
	return slices.Clip(t.steps)
}
