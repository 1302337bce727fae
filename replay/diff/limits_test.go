package diff

import (
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// TestSizeLimits: a comparison at a limit is computed, and one beyond it is not.
func TestSizeLimits(t *testing.T) {
	// found returns n discoveries of a single set, of which a random one costs so much.
	found := func(n int, work int64, kind collection) *pool {
		return &pool{sets: [][][]int{{make([]int, n)}}, referenceWork: func(int) int64 { return work }, items: kind}
	}
	shared := func(n int, work int64) bool { return found(n, work, nil).tooLong() == "" }
	traces := func(options, states int) bool {
		c := &optionTraces{visits: make([]behaviours.StateVisits, states)}
		return c.fits(options) && found(options, 1, c).tooLong() == ""
	}
	references := func(want, work, most int) bool {
		d := &pool{referenceWork: func(int) int64 { return int64(work) }, mostReferences: most}
		return d.referenceCount(1) == want
	}
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"discoveries of random sets", shared(maxDiscoveries, 1), shared(maxDiscoveries+1, 1)},
		{"work of random sets", shared(1, sharingWork), shared(1, sharingWork+1)},
		{"traces of options", traces(1<<13, maxTraceStates>>13), traces(1<<13+1, maxTraceStates>>13)},
		{"most random sets", references(20, 1, 20), references(21, 1, 20)},
		{"fewest random sets", references(10, workOfReferences, 20), references(9, workOfReferences, 20)},
		{"work of a random set", references(15, workOfReferences/15, 20), references(15, workOfReferences/14, 20)},
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: allowed at the limit: %t, one beyond: %t", limit.name, limit.at, limit.beyond)
		}
	}
	full := &optionTraces{
		visits: make([]behaviours.StateVisits, 1<<13), traces: make([]*behaviours.Trace, maxTraceStates>>13),
	}
	if err := full.addLoaded(nil, nil); !errors.Is(err, ErrIncomparable) || schema.Remedy(err) == "" {
		t.Errorf("an option of too many states: %v", err)
	}
}

// TestForgedOptionNumbers: the last option that an iteration lists has a purpose, and one that it lists beyond its
// purposes is damage.
func TestForgedOptionNumbers(t *testing.T) {
	run := perform(t, 1, tiny(0))[0]
	options := run.Iterations[0].RecordsOf(schema.KindOption)
	forged := slices.Clone(run.Iterations[0].Records)
	run.Iterations[0].Records = append(forged, schema.Entry{Kind: schema.KindOption, Name: options[0]})
	last, err := report.ResolveRef(run.Records, report.Ref{ByNumber: true, Number: len(options) - 1})
	if err != nil || last.J == 0 {
		t.Errorf("the last option: %+v, %v", last, err)
	}
	_, err = report.ResolveRef(run.Records, report.Ref{ByNumber: true, Number: len(options)})
	if !errors.Is(err, wire.ErrMalformed) || !errors.Is(err, tracker.ErrDamaged) {
		t.Errorf("an option without a purpose: %v", err)
	}
}
