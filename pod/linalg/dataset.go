package linalg

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A Dataset is the matrix D as its distinct rows, in ascending lexicographic order, each
// with the number of times that it occurs in D.
type Dataset struct {
	Dims   int
	Rows   []schema.SparseRow // u distinct ones
	Counts []int64            // u, at least 1 each

	// Columns are the features that the columns stand for, ascending, if they are some of
	// AllFeatures; nil if column i is feature i.
	Columns     []int32
	AllFeatures int

	// Top is the number of directions that are wanted, of a D that is symmetric and has no eigenvalue below 0; 0 for
	// all of them. If it is not 0, Centred says that D is the matrix of the rows less the mean of each over the columns
	// that are not 0, for rows whose sums are all the same.
	Top     int
	Centred bool
}

type CountedRow struct {
	Row   schema.SparseRow
	Count int64
}

// NewDataset sorts rows and adds up the counts of equal ones.
func NewDataset(dims int, rows []CountedRow) Dataset {
	slices.SortFunc(rows, func(a, b CountedRow) int { return schema.CompareSparseRows(a.Row, b.Row) })
	d := Dataset{Dims: dims}
	for i, r := range rows {
		if i > 0 && schema.CompareSparseRows(rows[i-1].Row, r.Row) == 0 {
			d.Counts[len(d.Counts)-1] += r.Count
			continue
		}
		d.Rows = append(d.Rows, r.Row)
		d.Counts = append(d.Counts, r.Count)
	}
	return d
}

// DatasetFromFactors returns the dataset that the factors were computed from.
func DatasetFromFactors(f schema.Factors) Dataset {
	d := Dataset{
		Dims: f.Dims, Rows: f.Rows, Counts: f.Counts, Columns: f.Columns, AllFeatures: f.AllFeatures, Centred: f.Centred,
	}
	if f.IsPartial() {
		d.Top = f.Directions()
	}
	return d
}

// EstimateMemory returns the approximate memory, in bytes, for factoring D.
func (d Dataset) EstimateMemory(how Factoring) int64 {
	dims, rows, entries := int64(d.Dims), int64(len(d.Counts)), d.Entries()
	if d.Top > 0 {
		return EstimateTopMemory(dims, int64(d.Top), rows, entries)
	}
	live, _ := d.findLive()
	return how.EstimateMemory(dims, int64(len(live)), rows, entries)
}

// Entries returns how many numbers of the distinct rows are not 0.
func (d Dataset) Entries() int64 { return int64(schema.CountEntries(d.Rows)) }

// Merge returns the dataset of the rows of both d and e, for a cumulative D.
func (d Dataset) Merge(e Dataset) Dataset {
	return NewDataset(d.Dims, append(d.countedRows(), e.countedRows()...))
}

func (d Dataset) countedRows() []CountedRow {
	rows := make([]CountedRow, len(d.Counts))
	for i, c := range d.Counts {
		rows[i] = CountedRow{d.Rows[i], c}
	}
	return rows
}
