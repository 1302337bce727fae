package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// specCount is the progress of the runs of one spec, or of the whole sweep.
type specCount struct {
	Spec map[string]string `json:"spec,omitempty"` // the fields that differ, by their names
	sweep.Count
}

// summary is the output of sweep.
type summary struct {
	Type string `json:"type"`
	specCount
	Failures []sweep.Failure `json:"failures,omitempty"` // failures in this command, at most 100
	Specs    []specCount     `json:"specs"`
}

// showCounts prints the current progress of a shard's runs in a store.
func (s sweepRun) showCounts(store *tracker.Store, shard sweep.Shard, r sweep.Result) error {
	ctx, cancel := cmdline.ShutdownContext(s.Context.Context)
	defer cancel()
	progress := sweep.NewProgress(s.plan, shard)
	if err := progress.Scan(ctx, store); err != nil {
		return err
	}
	all := s.sum(progress)
	all.Failures = r.Failures
	return s.answer(all, s.progressText(all)).Print(s.Context)
}

// sum returns the summary of the progress of all specs.
func (s sweepRun) sum(progress *sweep.Progress) summary {
	all, changing := summary{Type: "sweep"}, s.changing()
	count, bySpec := progress.CountBySpec()
	all.Count = count
	for i, count := range bySpec {
		one := specCount{Spec: map[string]string{}, Count: count}
		for _, name := range changing {
			one.Spec[name] = s.fieldOf(i, name)
		}
		all.Specs = append(all.Specs, one)
	}
	return all
}

// maxSpecs is the maximum number of rows of the table; --json has all.
const maxSpecs = 200

// answer returns a summary with a sentence.
func (s sweepRun) answer(all summary, sentence string) cmdline.Answer {
	return cmdline.Answer{JSON: all, Text: func(w table.Text) {
		if len(all.Specs) > 1 {
			w.Table(s.table(all))
		}
		if more := len(all.Specs) - maxSpecs; more > 0 {
			fmt.Fprintf(w, "… and %d more specs, which --json lists\n", more)
		}
		fmt.Fprintln(w, sentence)
	}}
}

// counted are the numbers of runs that a table and a sentence have, the first two always.
var counted = []struct {
	what string
	of   func(sweep.Count) int
}{
	{"runs", func(c sweep.Count) int { return c.Runs }}, {"complete", func(c sweep.Count) int { return c.Complete }},
	{"begun", func(c sweep.Count) int { return c.Begun }}, {"failed", func(c sweep.Count) int { return c.Failed }},
	{"missing", func(c sweep.Count) int { return c.Missing }},
}

// table returns a table with one row per spec. It leaves out empty columns.
func (s sweepRun) table(all summary) *table.Table {
	var columns []table.Column
	for _, name := range s.changing() {
		columns = append(columns, table.Value(table.Left(name), func(c *specCount) any { return c.Spec[name] }))
	}
	for i, n := range counted {
		if i < 2 || n.of(all.Count) > 0 {
			columns = append(columns, table.Value(table.Right(n.what),
				func(c *specCount) any { return n.of(c.Count) }))
		}
	}
	return table.Of(all.Specs[:min(len(all.Specs), maxSpecs)], columns...)
}

// progressText returns a one-line description of the progress.
func (s sweepRun) progressText(all summary) string {
	text := fmt.Sprintf("%d of %s complete", all.Complete, textfmt.CountOf(all.Runs, "run"))
	for _, n := range counted[2:] {
		if n.of(all.Count) > 0 {
			text += fmt.Sprintf(", %d %s", n.of(all.Count), n.what)
		}
	}
	return text
}

// dryRun prints which runs the sweep would make.
func (s sweepRun) dryRun() error {
	store, progress := cmdline.OpenStore(s.Context), sweep.NewProgress(s.plan, sweep.WholePlan)
	err := progress.Scan(s.Context.Context, store)
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; a dry run changes nothing", replay.ErrInterrupted),
			"rerun the command to start again")
	}
	if err == nil && s.plan.Study != nil { // the store may have another study of the name, for which the sweep would fail
		err = store.View(s.Context.Context, func(tx *tracker.Tx) error { return tx.CheckStudy(&s.plan.Plan) })
	}
	if err != nil && !errors.Is(err, tracker.ErrNoStore) {
		return err
	}
	all := s.sum(progress)
	text := s.progressText(all) + "; nothing is left to make"
	if left := all.Runs - all.Complete; left > 0 {
		text = fmt.Sprintf("%s; %s to make", s.progressText(all), textfmt.CountOf(left, "run"))
	}
	return s.answer(all, text).Print(s.Context)
}
