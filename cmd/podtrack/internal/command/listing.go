package command

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// printShared prints the fields that all runs share and that are not the paper's.
func printShared(w io.Writer, runs []report.Run) {
	names, _ := report.CompareFields(runs)
	names = slices.DeleteFunc(names, func(name string) bool {
		value, _ := runs[0].Spec.Get(name)
		usual, _ := pod.PaperSpec().Get(name)
		return value == usual || name == "seed" || name == "data"
	})
	var shared []string
	for _, name := range namedReading(names, runs) {
		value, _ := runs[0].Field(name)
		shared = append(shared, name+"="+value)
	}
	if len(shared) > 0 {
		fmt.Fprintf(w, "\nwith %s\n", schema.EscapeLine(strings.Join(shared, " ")))
	}
}

// columnsFor returns the default columns for the runs: the fields in which they differ, and those
// that are asked for.
func columnsFor(runs []report.Run, asked ...string) []string {
	columns := []string{"run"}
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Name != "" }) {
		add("name")
	}
	add(differingFields(runs)...)
	add("seed", "iterations")
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Target != r.Iterations }) {
		add("target")
	}
	add("status")
	add(asked...)
	add("head")
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Parent() != "" }) {
		add("parent")
	}
	if slices.ContainsFunc(runs, func(r report.Run) bool { return !r.Spec.Data.IsZero() }) {
		add("data")
	}
	return columns
}

// differingFields returns the fields of the specs in which the runs differ, except the seed and the
// data.
func differingFields(runs []report.Run) []string {
	_, names := report.CompareFields(runs)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "seed" || name == "data" })
	return namedReading(names, runs)
}

// namedReading replaces basis and dataset by the reading, if all runs have one with a name.
func namedReading(fields []string, runs []report.Run) []string {
	at := slices.Index(fields, "basis")
	unnamed := func(r report.Run) bool { return !slices.Contains(schema.Readings(), r.Reading) }
	if at < 0 || slices.ContainsFunc(runs, unnamed) {
		return fields
	}
	fields[at] = "reading"
	return slices.DeleteFunc(fields, func(name string) bool { return name == "dataset" })
}

var rightColumns = append([]string{"seed", "iterations", "target", "bits", "hide", "steps", "kappa", "gamma", "sweeps",
	"tolerance", "numerics", "features", "option_probability"}, report.MeasureNames()...)

// defaultRanks has the rank of every default column: 1 is hidden first, 0 never, as in
// [table.Column]. All others have parameterRank.
var defaultRanks = map[string]int{"run": 0, "name": 0, "env": 0, "seed": 0, "iterations": 0, "status": 0,
	"parent": 3, "data": 3, "target": 2, "head": 1}

// parameterRank is the rank of fields in which runs differ, and of measures.
const parameterRank = 4

// hideable lets a table of default columns hide some of them. Columns that the user has chosen all
// stay.
func hideable(g *table.Table) *table.Table {
	for i, c := range g.Columns {
		rank, found := defaultRanks[c.Title]
		if !found {
			rank = parameterRank
		}
		g.Columns[i].Rank = rank
	}
	return g
}

// listing returns a table of the runs with the given columns. Measures are rounded unless exact is
// set.
func listing(columns []string, runs []report.Run, exact bool) *table.Table {
	g := &table.Table{}
	for _, name := range columns {
		column := table.Left(name)
		column.Right = slices.Contains(rightColumns, name)
		g.Columns = append(g.Columns, column)
	}
	cells := make([]string, len(runs)*len(columns))
	for i := range runs {
		row := cells[i*len(columns):][:len(columns)]
		for j, name := range columns {
			row[j], _ = runs[i].Field(name)
			if runs[i].Iterations > 0 && !exact && report.IsMeasure(name) {
				row[j] = roundedMeasure(name, runs[i].Measure(name))
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// roundedMeasure returns a measure as tables show it: whole numbers as such, bits and shares with two
// more digits than steps.
func roundedMeasure(name string, x *float64) string {
	if x != nil && *x == math.Trunc(*x) {
		return table.Number(x, 0)
	}
	if report.IsExploration(name) || report.IsReturn(name) {
		return table.Number(x, 3)
	}
	return table.Number(x, 1)
}

func isRunning(r report.Run) bool { return r.Status == tracker.Running }
