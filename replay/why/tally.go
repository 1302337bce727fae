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

// sourceRows counts steps one by one, by their source and row. Only those that occur take memory.
type sourceRows map[sourceRow]int64

type sourceRow struct{ source, row int32 }

// tallies returns the counts of each source.
func (s sourceRows) tallies() map[int]tally {
	all := map[int]tally{}
	for at, n := range s {
		all[int(at.source)] = append(all[int(at.source)], rowSteps{at.row, n})
	}
	for _, t := range all {
		slices.SortFunc(t, func(x, y rowSteps) int { return cmp.Compare(x.row, y.row) })
	}
	return all
}
