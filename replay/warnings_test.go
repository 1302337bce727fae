package replay_test

import (
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// trueWarnings are those of pinned specs: 12 states are visited after 48, and 55 after 128; 12 of 16 calls are
// truncated; none of four options is called in 400 steps.
var trueWarnings = map[string]warnings.Kind{
	"empirical, 7 bits": warnings.FewerStates,
	"behaviour zeta=2":  warnings.FewerStates,
	"lspi, rows and columns of four rooms, episodes, cumulative": warnings.NeverEnd,
	"counts over visited states, taxi":                           warnings.NeverCalled,
}

// TestNoFalseWarnings runs the pinned specs, which are those of the paper and one for each field: they have no warnings
// but those that are true.
func TestNoFalseWarnings(t *testing.T) {
	for _, p := range schematest.Sample(pinnedHeads(t)) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			found := foundIn(t, p)
			if want, has := trueWarnings[p.Name]; has {
				if _, is := found[want]; !is || len(found) > 1 {
					t.Errorf("%v, want %s alone", found, want)
				}
				return
			}
			for kind, f := range found {
				t.Errorf("%s: %+v %+v %+v %+v", kind, f, f.Direction, f.Calls, f.States)
			}
		})
	}
}

func foundIn(t *testing.T, p pinned) map[warnings.Kind]warnings.Warning {
	store := newStore(t, tracker.Options{})
	runJobs(t, store, []replay.Job{p.job()}, 1)
	found := map[warnings.Kind]warnings.Warning{}
	for _, r := range selected(t, store) {
		view(t, store, func(tx *tracker.Tx) error {
			d, err := report.Describe(tx, r)
			for _, f := range d.Warnings {
				found[f.Kind] = f
			}
			return err
		})
	}
	return found
}
