package report_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// reported runs a spec and hands the run, as reported, to fn.
func reported(t *testing.T, spec schema.Spec, target int, fn func(*tracker.Tx, report.Run)) {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	w := groupcommit.Start(ctx, store)
	var out replay.Outcome
	replay.NewEngine(store, w, replay.Options{}).Run(ctx, replay.Job{Spec: spec, Target: target},
		func(o replay.Outcome) { out = o })
	if err := errors.Join(w.Close(ctx), out.Err); err != nil {
		t.Fatal(err)
	}
	err := store.View(ctx, func(tx *tracker.Tx) error {
		r, err := report.LoadRun(tx, out.Run.String())
		if err == nil {
			fn(tx, r)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// use is how an option was used, counted step by step.
type use struct{ calls, cut, steps, gained int64 }

// recount walks the ring by hand, one step after the other: no chunks, no row
// classes, states in a map.
func recount(t *testing.T, tx *tracker.Tx, r report.Run) []use {
	t.Helper()
	iterations, err := tx.ReadIterations(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	var options []schema.Option
	var uses []use
	mask := 1<<r.Spec.Env.Params["bits"] - 1
	for _, it := range iterations {
		visited := map[int]bool{}
		s, last := -1, -1
		for _, name := range it.RecordsOf(schema.KindTransitions) {
			x, err := tracker.Load(tx, name, schema.DecodeTransitions)
			if err != nil {
				t.Fatal(err)
			}
			if s < 0 {
				s = int(x.Start)
				visited[s] = true
			}
			step := 0
			for i, span := range x.Spans {
				o := int(span.Option)
				if o >= 0 && (i > 0 || o != last) {
					uses[o].calls++
				}
				for range span.Steps {
					s = (s + 2*int(x.Actions[step]) - 1) & mask
					step++
					if o >= 0 {
						uses[o].steps++
						if !visited[s] {
							uses[o].gained++
						}
					}
					visited[s] = true
				}
				last = o
			}
		}
		if last >= 0 && options[last].Policy[s] != schema.Terminate {
			uses[last].cut++
		}
		for _, name := range it.RecordsOf(schema.KindOption) {
			o, err := tracker.Load(tx, name, schema.DecodeOption)
			if err != nil {
				t.Fatal(err)
			}
			options, uses = append(options, o), append(uses, use{})
		}
	}
	return uses
}

// TestOptionsAgainstARecount compares the reported use of options with a count of the recorded steps, in short runs,
// most of whose iterations end inside an option, and in one of two chunks an iteration.
func TestOptionsAgainstARecount(t *testing.T) {
	for seed := range uint64(9) {
		spec := pod.PaperSpec()
		spec.Env.Params["bits"], spec.Steps, spec.Seed = 8, 100, seed
		if seed == 8 {
			spec.Steps = schema.ChunkSteps + 777
		}
		reported(t, spec, 5, func(tx *tracker.Tx, r report.Run) {
			rows, err := report.LoadOptions(tx.View, r.Source)
			if err != nil {
				t.Fatal(err)
			}
			want := recount(t, tx, r)
			if len(rows) != len(want) || len(rows) < 30 {
				t.Fatalf("%d options, counted %d", len(rows), len(want))
			}
			total := compareUses(t, r, rows, want)
			if total.calls == 0 || total.gained == 0 || total.cut == 0 {
				t.Errorf("nothing to count: %+v", total)
			}
		})
	}
}

// compareUses compares each option's name, number and use with the count, and returns the sum of all uses.
func compareUses(t *testing.T, r report.Run, rows []report.Option, want []use) (total use) {
	t.Helper()
	k, j := 0, 1
	for i, o := range rows {
		w := want[i]
		total = use{total.calls + w.calls, total.cut + w.cut, total.steps + w.steps, total.gained + w.gained}
		if o.Calls != w.calls || o.Truncated != w.cut || o.NewStates != w.gained ||
			(o.Length == nil) != (w.calls == 0) {
			t.Errorf("%s: %d calls, %d cut, %d gained, counted %+v", o.Option, o.Calls, o.Truncated, o.NewStates, w)
		}
		if o.Length != nil && *o.Length != float64(w.steps)/float64(w.calls) {
			t.Errorf("%s: length %v, counted %+v", o.Option, *o.Length, w)
		}
		if o.K != k {
			k, j = k+1, 1
		}
		if name := fmt.Sprintf("%s:%d/%d%c", r.Short, k, j, "+-"[i%2]); o.Option != name || o.Number != i ||
			o.Run != r.ID {
			t.Errorf("option %d is called %s (%d), want %s", i, o.Option, o.Number, name)
		}
		j += i % 2
	}
	return total
}

func TestSortOptions(t *testing.T) {
	length := func(x float64) *float64 { return &x }
	rows := []report.Option{
		{Number: 0, Sigma: 5, Calls: 3, NewStates: 1, Length: length(4)},
		{Number: 1, Sigma: 5, Calls: 20, NewStates: 0, Length: nil},
		{Number: 2, Sigma: 7, Calls: 3, NewStates: 4, Length: length(0.5)},
	}
	rows[0].Longest, rows[1].Longest, rows[2].Longest = 10, 9, 8
	rows[0].Initiation, rows[1].Initiation, rows[2].Initiation = 1, 1, 1
	rows[1].Reach = length(2)
	for key, want := range map[string][]int{
		"number": {0, 1, 2}, "-number": {2, 1, 0}, "sigma": {0, 1, 2}, "-sigma": {2, 0, 1}, "calls": {0, 2, 1},
		"-calls": {1, 0, 2},
		"gained": {1, 0, 2}, "length": {1, 2, 0}, "-length": {0, 2, 1}, "longest": {2, 1, 0}, "-initiation": {0, 1, 2},
		"-reach": {1, 0, 2}, "calls,-number": {2, 0, 1}, "-sigma,calls": {2, 0, 1}, "-new_states": {2, 0, 1},
		"new states": {1, 0, 2}, "option-length": {1, 2, 0}, "mean_steps, -#": {2, 0, 1}, "cut,-σ": {2, 0, 1},
	} {
		sorted := slices.Clone(rows)
		if err := report.SortOptions(sorted, key); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, o := range sorted {
			got = append(got, o.Number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %s: %v, want %v", key, got, want)
		}
	}
	for _, key := range report.OptionKeys() {
		if err := report.SortOptions(nil, "-"+key); err != nil {
			t.Error(err)
		}
	}
	for _, keys := range []string{"calls,", ",", "calls,height", "--calls", "calls;sigma"} {
		if err := report.SortOptions(rows, keys); !errors.Is(err, report.ErrFilter) {
			t.Errorf("by %s: %v", keys, err)
		}
	}
	if err := report.SortOptions(rows, "height"); !errors.Is(err, report.ErrFilter) ||
		!strings.Contains(schema.Remedy(err), "gained") {
		t.Errorf("by height: %v", err)
	}
}

// TestSelect takes references or a filter, and not both.
func TestSelect(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 5, 50
	reported(t, spec, 1, func(tx *tracker.Tx, r report.Run) {
		for args, want := range map[string]int{"": 1, "@1": 1, "@1 @1": 1, "seed=0": 1, "seed=1": 0,
			r.Short + " " + r.ID.String(): 1} {
			runs, err := report.Select(tx, strings.Fields(args))
			if err != nil || len(runs) != want {
				t.Errorf("%q: %d runs, want %d: %v", args, len(runs), want, err)
			}
		}
		if _, err := report.Select(tx, []string{"@1", "seed=0"}); !errors.Is(err, report.ErrFilter) {
			t.Errorf("both: %v", err)
		}
		if _, err := report.Select(tx, []string{"@1", "@2"}); !errors.Is(err, tracker.ErrMissing) {
			t.Errorf("a reference to nothing: %v", err)
		}
		if r.Label() != r.Short || r.Parent() != "" {
			t.Errorf("label %q, parent %q", r.Label(), r.Parent())
		}
	})
}
