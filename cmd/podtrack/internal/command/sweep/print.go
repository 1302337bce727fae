package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// specCount is how far the runs of one spec are, or those of a sweep.
type specCount struct {
	Spec map[string]string `json:"spec,omitempty"` // the fields that differ, by their names
	sweep.Count
	Recorded int      `json:"recorded,omitempty"` // runs that the estimate is the mean of
	Seconds  *float64 `json:"seconds,omitempty"`  // of one core, for what is left
	Bytes    *int64   `json:"bytes,omitempty"`    // that the store grows by with it
}

// summary is what sweep reports.
type summary struct {
	Type string `json:"type"`
	specCount
	Cores    int         `json:"cores,omitempty"`
	Failures []failedRun `json:"failures,omitempty"` // of this command, the first 100
	Specs    []specCount `json:"specs"`
}

// failedRun is why a run was not completed.
type failedRun struct {
	Run    schema.Digest `json:"run"`
	Reason string        `json:"reason"`
}

// showCounts prints how far the runs of a shard are in a store now, after some work.
func (s sweepRun) showCounts(store *tracker.Store, shard sweep.Shard, r sweep.Result) error {
	ctx, cancel := cmdline.ShutdownContext()
	defer cancel()
	ledger := sweep.NewProgress(s.plan, shard)
	if _, err := ledger.Scan(ctx, store); err != nil {
		return err
	}
	return s.print(s.summary(ledger).after(r), s.says)
}

// after adds what became of the runs.
func (all summary) after(r sweep.Result) summary {
	for _, f := range r.Failures {
		all.Failures = append(all.Failures, failedRun{f.Run, f.Err.Error()})
	}
	return all
}

func (s sweepRun) summary(l *sweep.Progress) summary { return s.sum(l.CountBySpec()) }

// sum is the summary of how far the runs of each spec are.
func (s sweepRun) sum(counts []sweep.Count) summary {
	all := summary{Type: "sweep"}
	changing := s.changing()
	for i, count := range counts {
		all.Count = all.Add(count)
		one := specCount{Spec: map[string]string{}, Count: count}
		for _, name := range changing {
			one.Spec[name] = fieldOf(s.plan.Specs[i], name)
		}
		all.Specs = append(all.Specs, one)
	}
	return all
}

// maxSpecs bounds the table; --json has all.
const maxSpecs = 200

func (s sweepRun) print(all summary, says func(summary) string) error {
	if s.Bool("json") {
		return cmdline.PrintJSON(s.App.Writer, all)
	}
	if len(all.Specs) > 1 {
		if err := s.table(all).Print(s.App.Writer, table.Formats[0]); err != nil {
			return err
		}
	}
	if more := len(all.Specs) - maxSpecs; more > 0 {
		fmt.Fprintf(s.App.Writer, "… and %d more specs, which --json lists\n", more)
	}
	_, err := fmt.Fprintln(s.App.Writer, says(all))
	return err
}

// table has a row for each spec. Columns in which there is nothing are left out.
func (s sweepRun) table(all summary) *table.Table {
	changing := s.changing()
	type column struct {
		title string
		text  func(specCount) string
		shown bool
	}
	columns := []column{
		{">runs", func(c specCount) string { return fmt.Sprint(c.Runs) }, true},
		{">complete", func(c specCount) string { return fmt.Sprint(c.Complete) }, true},
		{">begun", func(c specCount) string { return fmt.Sprint(c.Begun) }, all.Begun > 0},
		{">failed", func(c specCount) string { return fmt.Sprint(c.Failed) }, all.Failed > 0},
		{">missing", func(c specCount) string { return fmt.Sprint(c.Missing) }, all.Missing > 0},
		{">time left", func(c specCount) string { return durationText(c.Seconds) }, all.Seconds != nil},
		{">bytes left", func(c specCount) string { return bytesText(c.Bytes) }, all.Bytes != nil},
	}
	g := &table.Table{Columns: append([]string{}, changing...)}
	for _, col := range columns {
		if col.shown {
			g.Columns = append(g.Columns, col.title)
		}
	}
	for _, one := range all.Specs[:min(len(all.Specs), maxSpecs)] {
		var cells []string
		for _, name := range changing {
			cells = append(cells, one.Spec[name])
		}
		for _, col := range columns {
			if col.shown {
				cells = append(cells, col.text(one))
			}
		}
		g.Add(cells...)
	}
	return g
}

// says is how far the runs are, in a line.
func (s sweepRun) says(all summary) string {
	words := []string{fmt.Sprintf("%d of %s complete", all.Complete, cmdline.Plural(all.Runs, "run"))}
	for _, part := range []struct {
		n    int
		word string
	}{{all.Begun, "begun"}, {all.Failed, "failed"}, {all.Missing, "missing"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(words, ", ")
}

// durationText is a time that may be short.
func durationText(seconds *float64) string {
	switch {
	case seconds == nil:
		return table.None
	case *seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000**seconds)
	case *seconds < 10:
		return fmt.Sprintf("%.1f s", *seconds)
	}
	return cmdline.Roughly(*seconds)
}

// bytesText is a size to three digits.
func bytesText(bytes *int64) string {
	if bytes == nil {
		return table.None
	}
	x := float64(*bytes)
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		if x < 999.5 { // which %.3g would write as 1e+03
			return fmt.Sprintf("%.3g %s", x, unit)
		}
		x /= 1000
	}
	return fmt.Sprintf("%.3g TB", x)
}

// seconds is a time as JSON has it.
func seconds(d time.Duration) *float64 {
	x := d.Seconds()
	return &x
}
