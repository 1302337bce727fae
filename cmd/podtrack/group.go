package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxListed is how many runs a note for people names; --json names all.
const maxListed = 5

func measureFlag() cli.Flag {
	var paper []string
	for _, m := range table1.Metrics {
		paper = append(paper, m.Name)
	}
	return &cli.StringFlag{Name: "measure", Value: strings.Join(paper, ","),
		Usage: "take the measures in `LIST`, or all: " + strings.Join(schema.MeasureNames(), ", ")}
}

// groupFlags checks what the commands on groups share.
func groupFlags(c *cli.Context) (format string, measures []string, err error) {
	if format, err = formatOf(c); err != nil {
		return "", nil, err
	}
	list := c.String("measure")
	if list == "all" {
		return format, schema.MeasureNames(), nil
	}
	for _, name := range strings.Split(list, ",") {
		if !slices.Contains(schema.MeasureNames(), name) {
			return "", nil, schema.Hint(fmt.Errorf("unknown measure %q", name), "the measures are %s; all takes all of them", strings.Join(schema.MeasureNames(), ", "))
		}
		if !slices.Contains(measures, name) {
			measures = append(measures, name)
		}
	}
	return format, measures, nil
}

// showGroup is show --group.
func showGroup(c *cli.Context) error {
	format, measures, err := groupFlags(c)
	if err != nil {
		return err
	}
	if c.Bool("spec") {
		return schema.Hint(errors.New("--spec is of one run, --group of many"), "leave one of them out")
	}
	if c.NArg() == 0 {
		return schema.Hint(errors.New("show --group takes runs"), "podtrack show --group seed=0-29 reading=as-written")
	}
	var g group.Group
	err = openStore(c).View(c.Context, func(tx *tracker.Tx) error {
		g, err = readGroup(tx, c.Args().Slice())
		return err
	})
	if err != nil {
		return err
	}
	s := group.Summarise(g, measures)
	switch {
	case c.Bool("json"):
		return printJSON(c.App.Writer, s)
	case format != formats[0]:
		printNotes(c.App.ErrWriter, lackNotes("", s.Lacks))
		return summaryGrid(s, format).print(c.App.Writer, format)
	}
	return printSummary(c.App.Writer, s)
}

func printSummary(w io.Writer, s group.Summary) error {
	var same, varies []string
	for _, f := range s.Spec {
		if len(f.Values) == 1 {
			same = append(same, f.Field+"="+f.Values[0])
		} else {
			varies = append(varies, f.Field+" ("+listValues(f.Values)+")")
		}
	}
	fmt.Fprintf(w, "group   %s, %s\nspec    %s\n", runCount(len(s.Runs)), s.Filter, strings.Join(same, " "))
	if len(varies) > 0 {
		fmt.Fprintf(w, "varies  %s\n", strings.Join(varies, ", "))
	}
	fmt.Fprintln(w)
	notes := lackNotes("", s.Lacks)
	printNotes(w, notes)
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	return summaryGrid(s, formats[0]).print(w, formats[0])
}

// summaryGrid has a row a measure and iteration. CSV has the numbers in full.
func summaryGrid(s group.Summary, format string) *grid {
	digits := func(x *float64) string { return number(x, 2) }
	if format == "csv" {
		digits = exact
	}
	g := &grid{columns: append([]string{"measure", ">k"}, summaryColumns(">")...)}
	for _, m := range s.Measures {
		name := m.Measure
		for _, cell := range m.Iterations {
			g.add(append([]string{name, fmt.Sprint(cell.K)}, summaryCells(cell.Summary, digits)...)...)
			if format != "csv" {
				name = "" // once a block
			}
		}
	}
	return g
}

func summaryColumns(prefix string) []string {
	columns := []string{"n", "mean", "sd", "se", "min", "q1", "median", "q3", "max", "iqm"}
	for i, name := range columns {
		columns[i] = prefix + name
	}
	return columns
}

func summaryCells(s stats.Summary, text func(*float64) string) []string {
	cells := []string{fmt.Sprint(s.N)}
	for _, x := range []*float64{s.Mean, s.SD, s.SE, s.Min, s.Q1, s.Median, s.Q3, s.Max, s.IQM} {
		cells = append(cells, text(x))
	}
	return cells
}

// exact is an optional number in full, empty where there is none.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

func plusMinus(s stats.Summary) string {
	if s.Mean == nil {
		return none
	}
	return number(s.Mean, 2) + " ± " + number(s.SD, 2)
}

func estimate(e *stats.Estimate) string {
	if e == nil {
		return none
	}
	return fmt.Sprintf("%s [%s, %s]", number(&e.Value, 2), number(e.Low, 2), number(e.High, 2))
}

// lackNotes say which runs lack iterations.
func lackNotes(prefix string, lacks []group.Lack) []string {
	var notes []string
	for i, l := range lacks {
		if i == maxListed {
			return append(notes, fmt.Sprintf("%s%s more lack iterations; --json lists them all.", prefix, runCount(len(lacks)-maxListed)))
		}
		status := string(l.Status)
		if l.Failure != "" {
			status += ": " + l.Failure
		}
		iterations := fmt.Sprintf("iteration %d", l.From)
		if l.To > l.From {
			iterations = fmt.Sprintf("iterations %d to %d", l.From, l.To)
		}
		notes = append(notes, fmt.Sprintf("%s%s (%s) lacks %s.", prefix, l.Label, status, iterations))
	}
	return notes
}

func printNotes(w io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(w, n)
	}
}

func runCount(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// listMembers names runs, the first of many.
func listMembers(members []group.Member) string {
	var labels []string
	for _, m := range members[:min(len(members), maxListed)] {
		labels = append(labels, m.Label)
	}
	if more := len(members) - maxListed; more > 0 {
		labels = append(labels, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(labels, ", ")
}

// listValues is the values of a field: all of a few, the ends of many.
func listValues(values []string) string {
	first, last := values[0], values[len(values)-1]
	switch {
	case len(values) > 1 && consecutive(first, last, len(values)):
		return fmt.Sprintf("%d values: %s-%s", len(values), first, last)
	case len(values) > maxListed:
		return fmt.Sprintf("%d values: %s … %s", len(values), first, last)
	}
	shown := make([]string, len(values))
	for i, v := range values {
		if shown[i] = v; v == "" {
			shown[i] = none
		}
	}
	return strings.Join(shown, ", ")
}

// consecutive says whether n different whole numbers from first to last are all
// that there are between them.
func consecutive(first, last string, n int) bool {
	low, err1 := strconv.ParseUint(first, 10, 64)
	high, err2 := strconv.ParseUint(last, 10, 64)
	return err1 == nil && err2 == nil && high-low == uint64(n-1)
}
