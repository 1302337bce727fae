// Package table1 compares the paper's Table 1 with the measurements of this program:
// which runs it needs, what the paper printed, and how far the two are apart.
//
// Column c of the table speaks of iterations c − 1 and c: its number of options
// is the purposes that iteration c − 1 selected, its length and distance were
// measured during iteration c.
package table1

import "github.com/podtrack/podtrack/schema/textfmt"

// PaperRuns is the number of runs behind each number of the paper's table.
const PaperRuns = 30

// Columns is the number of columns of the table: iterations 0 to 5.
const Columns = 6

// Reported is one cell of the paper's table: mean (standard deviation).
type Reported struct{ Mean, SD float64 }

// Metric is a row of the table, named after its measure.
type Metric struct {
	Name     string
	Count    bool // a whole number in every run
	previous bool // column c shows iteration c − 1
}

// Metrics lists the table's rows in order.
var Metrics = []Metric{
	{Name: "purposes", Count: true, previous: true},
	{Name: "option_length"},
	{Name: "distance", Count: true},
}

// MetricNames returns the measures that the table shows.
func MetricNames() []string {
	return textfmt.Map(Metrics, func(m Metric) string { return m.Name })
}

// Observability is a block of rows: the paper's setting of hidden bits.
type Observability struct {
	Name  string
	Hide  int64
	Paper [][]*Reported // by metric and column; nil where the table has a dash
}

// Observabilities lists the settings of Section 4: all 12 bits, or without the three least
// significant ones. The numbers are those of Table 1.
var Observabilities = []Observability{
	{Name: "full", Hide: 0, Paper: [][]*Reported{
		{nil, {5.9, 5.5}, {7.7, 10.3}, {8.5, 8.8}, {9.2, 12.6}, {9.5, 11.4}},
		{nil, {12.1, 1.1}, {19.2, 2.1}, {21.6, 2.0}, {25.5, 2.0}, {27.8, 1.7}},
		{{29.3, 18.2}, {168.7, 222.5}, {240.1, 287.3}, {269.9, 311.5}, {287.1, 436.9}, {298.9, 320.8}},
	}},
	{Name: "partial", Hide: 3, Paper: [][]*Reported{
		{nil, {3.5, 20.9}, {5.2, 14.1}, {6.2, 19.4}, {6.6, 30.2}, {6.8, 21.6}},
		{nil, {20.4, 1.8}, {30.5, 1.4}, {33.5, 2.1}, {35.9, 1.7}, {37.7, 1.7}},
		{{29.3, 18.2}, {212.8, 326.9}, {314.9, 314.3}, {301.8, 434.3}, {352.4, 464.1}, {301.1, 360.0}},
	}},
}

// Table is the whole comparison with the paper.
type Table struct {
	Runs     int       `json:"runs"` // seeds 0…Runs−1 in each setting
	Formula  string    `json:"formula"`
	Settings []Setting `json:"settings"`
	Verdicts []Verdict `json:"verdicts"`
	Spread   string    `json:"spread"` // how the standard deviations compare, "" for too few runs
}

// Cell is a measured value beside the paper's; fields are nil if a column has no such number.
type Cell struct {
	Column    int      `json:"column"`
	N         int      `json:"n"` // runs with a value
	Mean      *float64 `json:"mean"`
	SD        *float64 `json:"sd"` // sample standard deviation over runs
	PaperMean *float64 `json:"paper_mean"`
	PaperSD   *float64 `json:"paper_sd"`
	Z         *float64 `json:"z"`
}

// Verdict summarises how far a reading is from the paper, over all its settings, metrics and
// columns 1 to 5.
type Verdict struct {
	Reading     string  `json:"reading"`
	Comparisons int     `json:"comparisons"`
	Under3      int     `json:"under_3"`    // comparisons with |z| < 3
	Largest     float64 `json:"largest"`    // |z|
	Where       string  `json:"where"`      // the comparison of the largest |z|
	Chance      float64 `json:"chance"`     // what the largest |z| exceeds in 5 of 100 tables, were the means equal
	Consistent  *bool   `json:"consistent"` // nil of too few runs to tell

	// LargestOfBoth is the largest |z| with the paper's own standard deviation for its half, those of
	// the first two rows exchanged.
	LargestOfBoth float64 `json:"largest_of_both"`
}

// Setting is one reading under one observability.
type Setting struct {
	Reading       string `json:"reading"`
	Observability string `json:"observability"`
	Runs          int    `json:"runs"`
	Metrics       []Row  `json:"metrics"`
}

// Row is one metric over the columns.
type Row struct {
	Metric string `json:"metric"`
	Cells  []Cell `json:"columns"`

	SDRatios SDRatios `json:"sd_ratios"`
}
