package runview

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// PrintShared prints the fields that all runs share and that are not the paper's.
func PrintShared(w io.Writer, runs []report.Run) {
	shared := report.SharedTerms(runs)
	if len(shared) > 0 {
		fmt.Fprintf(w, "\nwith %s\n", textfmt.EscapeLine(strings.Join(shared, " ")))
	}
}

// ColumnsFor returns the default columns for the runs: the fields in which they differ, and those
// that are asked for.
func ColumnsFor(runs []report.Run, asked ...string) []string {
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
	_, differing := report.CompareFields(runs)
	differing = slices.DeleteFunc(differing, func(name string) bool { return name == "seed" || name == "data" })
	add(report.NameReading(differing, runs)...)
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

// defaultRanks has the rank of every default column, as in [table.Column]. All others have parameterRank.
var defaultRanks = map[string]int{"run": 0, "name": 0, "env": 0, "seed": 0, "iterations": parameterRank + 1,
	"status": 0, "parent": 3, "data": 3, "target": 2, "head": 1}

// parameterRank is the rank of fields in which runs differ, and of measures.
const parameterRank = 4

// longestParameter is the length of a parameter in a default column, such as the ranges of many features.
const longestParameter = 24

// Hideable lets a table of default columns hide some of them, and cuts long parameters. Columns that the user has
// chosen all stay as they are.
func Hideable(g *table.Table) *table.Table {
	for i, c := range g.Columns {
		rank, found := defaultRanks[c.Title]
		if !found {
			rank = parameterRank
		}
		g.Columns[i].Rank = rank
	}
	for _, row := range g.Rows {
		for i, c := range g.Columns {
			if c.Rank == parameterRank {
				row[i] = textfmt.ShortenMiddle(row[i], longestParameter)
			}
		}
	}
	return g
}

// NewListing returns a table of the runs with the given columns. Measures are rounded unless exact is
// set.
func NewListing(columns []string, runs []report.Run, exact bool) *table.Table {
	listed := make([]table.Column, len(columns))
	for i, name := range columns {
		listed[i] = listColumn(name, runs, exact)
	}
	return table.Of(runs, listed...)
}

// listColumn returns the column of a fact, a field or a measure as people see it: digests short, and times without a
// zone, which is UTC. The numbers of a measure of an external stage are aligned.
func listColumn(name string, runs []report.Run, exact bool) table.Column {
	column, isMeasure := table.Left(name).Optional(table.Always), report.IsMeasureOf(runs, name)
	column.Right = report.IsNumber(name) || isMeasure
	digits := -1
	if isMeasure && !report.IsMeasure(name) {
		for i := range runs {
			digits = max(digits, DecimalsOf(runs[i].Measure(name)))
		}
	}
	switch name {
	case "run":
		short := make(map[string]string, len(runs))
		for _, r := range runs {
			short[r.ID.String()] = r.Short
		}
		column.Shown = func(cell string) string { return short[cell] }
	case "head", "data":
		column = column.Digest(shortDigest)
	case "created":
		column = column.Time()
	case "parent":
		column.Shown = func(cell string) string {
			run, until, is := strings.Cut(cell, ":")
			if !is {
				return cell
			}
			return run[:min(shortID, len(run))] + ":" + until
		}
	}
	if name == "run" || name == "name" {
		column = table.Opens(column, func(r *report.Run) []string { return []string{"show", r.ID.String()} })
	}
	return table.Value(column, func(r *report.Run) any {
		if isMeasure && r.Iterations > 0 && !exact && report.IsMeasureOf([]report.Run{*r}, name) {
			if digits >= 0 {
				return table.Number(r.Measure(name), digits)
			}
			return RoundedMeasure(name, r.Measure(name))
		}
		text, _ := r.WholeField(name)
		if _, given := r.Spec.Env.Text[name]; given && text == "" && !exact {
			return "✓" // a parameter without a value, beside runs that do not have it
		}
		return text
	})
}

// Characters of a run's ID and of other digests in tables.
const (
	shortID     = 7
	shortDigest = 12
)

// RoundedMeasure returns a measure as tables show it: whole numbers as such, bits and shares with two
// more digits than steps.
func RoundedMeasure(name string, x *float64) string {
	if x != nil && *x == math.Trunc(*x) {
		return table.Number(x, 0)
	}
	if report.IsExploration(name) {
		return table.Number(x, 3)
	}
	return table.Number(x, 1)
}

// DecimalsOf returns the number of decimals, at most 6, that shows a value with three significant digits; 0 if it is a
// whole number. The most of a column's values align its numbers.
func DecimalsOf(x *float64) int {
	if x == nil || *x == math.Trunc(*x) {
		return 0
	}
	size := int(math.Floor(math.Log10(math.Abs(*x))))
	return min(max(2-size, 1), 6)
}

// PrintIDs prints the ID of each run on a line of its own, for scripts.
func PrintIDs(w table.Text, runs []report.Run) {
	for _, r := range runs {
		w.Line("%s", r.ID)
	}
}
