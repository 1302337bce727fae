package export

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// A csvTable is a table that [CSV] writes.
type csvTable struct {
	name    string
	columns []string // after those of the run
	rows    func(*tracker.Tx, report.Run) ([][]string, error)
}

var csvTables = []csvTable{
	{"measures", []string{"k", "metric", "value"}, measureRows}, // a row a run, iteration and metric
	// A row an option. tolerance_in_force is the certificate's tolerance; tolerance is already the spec's.
	{"options", []string{
		"option", "number", "k", "j", "sign", "sigma", "termination", "acyclic", "longest", "reach", "initiation",
		"peak_q", "tolerance_in_force", "null", "calls", "length", "cut", "gained",
	}, optionRows},
	// A row a run, iteration and measure of exploration.
	{"exploration", []string{"k", "metric", "value"}, explorationRows},
	// A row a state, in the order in which they were first visited.
	{"first_visits", []string{"k", "state", "step"}, firstVisitRows},
}

// Tables lists the tables that [CSV] writes. The first is the default.
var Tables = textfmt.Map(csvTables, func(t csvTable) string { return t.name })

// CSV writes one table of runs. Each row begins with the run's full ID, its name, the fields of its spec (all that any
// of the runs has) and its reading. Numbers have enough digits to restore the same bits; undefined values are empty;
// text that a spreadsheet would compute gets an apostrophe in front. only names at most one of [Tables]; the error
// wraps [ErrNoPart] if it names something else.
func CSV(ctx context.Context, store *tracker.Store, runs []report.Run, only []string, w io.Writer) error {
	if len(only) > 1 {
		return schema.Hint(errors.New("a CSV file holds one table"), "export measures and options one after the other")
	}
	if err := checkParts(only, Tables); err != nil {
		return err
	}
	chosen := csvTables[max(0, slices.Index(Tables, strings.Join(only, "")))]
	fields := report.SpecFields(runs)
	out := csv.NewWriter(w)
	out.Write(textfmt.CSVRow(append(append([]string{"run", "name"}, fields...),
		append([]string{"reading"}, chosen.columns...)...)))
	for _, r := range runs {
		table, err := tracker.Read(store.Within(ctx), func(tx *tracker.Tx) ([][]string, error) { return chosen.rows(tx, r) })
		if err != nil {
			return tracker.WithRepairHint(fmt.Errorf("export run %s: %w", r.Label(), err), r.Label())
		}
		about := []string{r.ID.String(), r.Name}
		for _, name := range fields {
			value, _ := r.Spec.Get(name)
			about = append(about, value)
		}
		about = append(about, r.Reading)
		for _, row := range table {
			out.Write(textfmt.CSVRow(append(about[:len(about):len(about)], row...)))
		}
		if out.Flush(); out.Error() != nil {
			return out.Error() // also of earlier writes
		}
	}
	return nil
}

// measureRows returns the measures of each iteration, its steps, and the wall time of each stage
// in seconds.
func measureRows(tx *tracker.Tx, r report.Run) ([][]string, error) {
	var rows [][]string
	for k := range r.Iterations {
		add := func(metric string, value *float64) {
			rows = append(rows, []string{strconv.Itoa(k), metric, textfmt.FormatExact(value)})
		}
		m, err := report.LoadMeasures(tx, r.ID, k)
		if err != nil {
			return nil, err
		}
		for _, name := range schema.MeasureNames() {
			value, _ := m.Get(name)
			add(name, value)
		}
		external, err := report.LoadExternalMeasures(tx, r.ID, k)
		if err != nil {
			return nil, err
		}
		for _, name := range r.Source.SpecAt(k).ExternalMeasureNames() {
			add(name, external[name])
		}
		steps := float64(r.Source.SpecAt(k).Steps)
		add("steps", &steps)
		cost, err := tx.ReadCost(r.ID, k)
		if err != nil {
			return nil, err
		}
		for _, stage := range stages.All {
			var seconds *float64 // nil if it is unknown
			if ns, known := cost.Stages[stage]; known {
				seconds = new(float64(ns) / 1e9)
			}
			add("cost_"+stage, seconds)
		}
	}
	return rows, nil
}

func optionRows(tx *tracker.Tx, r report.Run) ([][]string, error) {
	options, err := report.LoadOptions(tx.View, r.Source)
	var rows [][]string
	whole := report.WholeRefs(r.ID)
	for _, o := range options {
		rows = append(rows, []string{
			whole(o.Option), strconv.Itoa(o.Number), strconv.Itoa(o.K), strconv.Itoa(o.J), strconv.Itoa(o.Sign),
			textfmt.FormatExact(&o.Sigma),
			string(o.Termination), strconv.FormatBool(o.Acyclic), o.Longest.String(), textfmt.FormatExact(o.Reach),
			formatInt(o.Initiation),
			textfmt.FormatExact(&o.PeakQ), textfmt.FormatExact(&o.Tolerance), strconv.FormatBool(o.Null),
			formatInt(o.Calls), textfmt.FormatExact(o.Length), formatInt(o.Truncated), formatInt(o.NewStates),
		})
	}
	return rows, err
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }
