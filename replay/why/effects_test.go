package why

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestEffects compares what each option caused with the audits of what came later: a descendant has it as an ancestor,
// and a purpose without its steps is what the audit of that purpose says.
func TestEffects(t *testing.T) {
	all := specs()
	maps.Copy(all, methodSpecs(t))
	for name, spec := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if spec.Method == "" {
				spec.Seed, spec.Kappa = 2, 6
			}
			run := performed(t, spec, 3)
			audits := map[string]*Report{}
			for k := range run.Iterations {
				for _, p := range selected(t, run, k) {
					r := asked(t, run, k, p.J, p.Sign)
					audits[r.Option] = r
				}
			}
			for _, r := range audits {
				checkEffects(t, run, r, audits)
			}
		})
	}
}

// checkEffects compares what an option caused with the audits of all options.
func checkEffects(t *testing.T, run *recorded.Records, r *Report, audits map[string]*Report) {
	t.Helper()
	e, err := FindEffects(context.Background(), run, report.Ref{K: r.K, J: r.Purpose.J, Sign: r.Purpose.Sign},
		func(int, int) {})
	ok(t, err)
	if e.Option != r.Option || e.Number != *r.Number || len(e.Uses) != len(run.Iterations)-1-r.K {
		t.Errorf("%s: %+v", r.Option, e)
	}
	later, descendants, affected := 0, map[string]Ancestor{}, map[string]Affected{}
	for _, d := range e.Descendants {
		descendants[d.Option] = d
	}
	for _, p := range e.Purposes {
		affected[p.Purpose] = p
	}
	for name, x := range audits {
		if x.K > r.K {
			later++
		}
		of := func(a Ancestor) bool { return a.Option == r.Option }
		if i := slices.IndexFunc(x.Ancestors, of); i >= 0 {
			a, d := x.Ancestors[i], descendants[name]
			if d.Depth != a.Depth || !near(d.Influence, a.Influence, 1e-9) || !near(d.Share, a.Share, 1e-9) {
				t.Errorf("%s: descendant %+v, and it is the ancestor %+v", e.Option, d, a)
			}
			delete(descendants, name)
		}
		i := slices.IndexFunc(x.Sources, func(s Source) bool { return s.Source == r.Option })
		if i < 0 || x.Purpose.Sign < 0 {
			continue
		}
		s, p := x.Sources[i], affected[name]
		if p.Without != *s.Without || p.Steps != s.Steps || p.Number != *x.Number {
			t.Errorf("%s: %+v without it, its audit says %+v of %d steps", e.Option, p, s.Without, s.Steps)
		}
		delete(affected, name)
	}
	if later != e.Later || len(descendants) > 0 || len(affected) > 0 {
		t.Errorf("%s: %d later options, not %d; beside those of audits %v, %v", e.Option, e.Later, later, descendants,
			affected)
	}
	checkUses(t, run, e)
}

// checkUses compares the uses of an option with those that lists of options give.
func checkUses(t *testing.T, run *recorded.Records, e *Effects) {
	t.Helper()
	var options []report.Option
	ok(t, run.View(func(tx *tracker.Tx) (err error) {
		options, err = report.LoadOptions(tx.View, run.Run)
		return err
	}))
	var calls, truncated, states int64
	first := 0
	for _, u := range e.Uses {
		calls, truncated, states, first = calls+u.Calls, truncated+u.Truncated, states+u.NewStates, first+u.First
	}
	if o := options[e.Number]; calls != o.Calls || truncated != o.Truncated || states != o.NewStates ||
		first != len(e.First) || int64(first) > states {
		t.Errorf("%s: %d calls, %d truncated, %d new states, %d first: listed as %+v", e.Option, calls, truncated, states,
			first, o)
	}
}

// TestEffectsOfNothing: the error names what does not exist.
func TestEffectsOfNothing(t *testing.T) {
	run := performed(t, small(4, 0), 2)
	for ref, want := range map[report.Ref]error{
		{K: 7, J: 1, Sign: 1}:  recorded.ErrNoIteration,
		{K: 0, J: 99, Sign: 1}: report.ErrNoOption,
	} {
		_, err := FindEffects(t.Context(), run, ref, func(int, int) {})
		if !errors.Is(err, want) || schema.Remedy(err) == "" {
			t.Errorf("%+v: %v", ref, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := FindEffects(ctx, run, report.Ref{J: 1, Sign: 1}, func(int, int) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
