package pod

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
}

type countedRow struct {
	row   schema.SparseRow
	count int64
}

// newDataset sorts rows and adds up the counts of equal ones.
func newDataset(dims int, rows []countedRow) Dataset {
	slices.SortFunc(rows, func(a, b countedRow) int { return schema.CompareSparseRows(a.row, b.row) })
	d := Dataset{Dims: dims}
	for i, r := range rows {
		if i > 0 && schema.CompareSparseRows(rows[i-1].row, r.row) == 0 {
			d.Counts[len(d.Counts)-1] += r.count
			continue
		}
		d.Rows = append(d.Rows, r.row)
		d.Counts = append(d.Counts, r.count)
	}
	return d
}

// DatasetFromFactors returns the dataset that the factors were computed from.
func DatasetFromFactors(f schema.Factors) Dataset {
	return Dataset{
		Dims: f.Dims, Rows: f.Rows, Counts: f.Counts, Columns: f.Columns, AllFeatures: f.AllFeatures,
	}
}

// Entries returns how many numbers of the distinct rows are not 0.
func (d Dataset) Entries() (n int64) {
	for _, row := range d.Rows {
		n += int64(len(row))
	}
	return n
}

// Merge returns the dataset of the rows of both d and e, for a cumulative D.
func (d Dataset) Merge(e Dataset) Dataset {
	return newDataset(d.Dims, append(d.countedRows(), e.countedRows()...))
}

func (d Dataset) countedRows() []countedRow {
	rows := make([]countedRow, len(d.Counts))
	for i, c := range d.Counts {
		rows[i] = countedRow{d.Rows[i], c}
	}
	return rows
}
