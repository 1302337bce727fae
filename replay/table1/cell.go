package table1

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
