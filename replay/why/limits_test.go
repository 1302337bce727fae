package why

import (
	"errors"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestTracedLimit: the steps of an iteration are read up to the limit, and refused by number from one more on.
func TestTracedLimit(t *testing.T) {
	run := performed(t, small(6, 0), 1)
	for steps, refused := range map[int64]bool{maxTraced: false, maxTraced + 1: true} {
		run.Run.Spec.Steps = steps
		a := &audit{run: run, env: run.Env, begin: []int{0}, rows: newRows(run.Env),
			traces: map[int][]tracedStep{}}
		_, err := a.trace(0)
		if is := errors.Is(err, ErrTooLong); is != refused || !refused && err != nil ||
			refused && (!strings.Contains(err.Error(), "16777217") || schema.Remedy(err) == "") {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
}

// TestRowLimit: a row of as many states as a matrix of all of them may have is written out, and one of more is left
// out, since its ends tell it.
func TestRowLimit(t *testing.T) {
	for bits, whole := range map[int64]bool{11: true, 12: false} { // 2048 states, which is the limit
		spec := small(bits, 0)
		spec.Method, spec.StateSet, spec.Select, spec.Steps = schema.Laplacian, schema.VisitedStates, "top=1", 20
		spec.Kappa = 0
		x := asked(t, performed(t, spec, 1), 0, 1, 1).Evidence[0]
		if len(x.Row) > 0 != whole || x.From == nil || x.To == nil {
			t.Errorf("of 2^%d states a row has %d numbers", bits, len(x.Row))
		}
	}
}

// TestShownShareLimit: an arrow of 1 % is listed, and none of less.
func TestShownShareLimit(t *testing.T) {
	run := performed(t, small(5, 0), 1)
	for share, shown := range map[float64]bool{minShownShare: true, minShownShare - 1e-9: false} {
		a := &audit{env: run.Env}
		a.propagate(map[int]ancestorPaths{}, ancestorPaths{}, -2, map[int]float64{-1: share})
		if len(a.out.Edges) == 1 != shown {
			t.Errorf("arrows of a share of %g: %+v", share, a.out.Edges)
		}
	}
}
