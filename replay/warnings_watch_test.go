package replay_test

import (
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/tracker"
)

// TestWarningsOfTheLastIterations: a reader that skips iterations finds the same in the others, and one that reads no
// large factors finds nothing in them.
func TestWarningsOfTheLastIterations(t *testing.T) {
	for _, p := range pinnedHeads(t) {
		want, has := trueWarnings[p.Name]
		if !has {
			continue
		}
		store := newStore(t, tracker.Options{})
		runJobs(t, store, []replay.Job{p.job()}, 1)
		run := selected(t, store)[0]
		view(t, store, func(tx *tracker.Tx) error {
			all, err := warnings.Read(tx, run.Source)
			if err != nil {
				return err
			}
			its, err := tx.ReadIterations(run.ID)
			if err != nil {
				return err
			}
			r := warnings.Reader{MaxFactors: 1}
			if err := r.Skip(tx, run.ID, len(its)-1); err != nil {
				return err
			}
			if err := r.AddFrom(tx, run.Source, its); err != nil {
				return err
			}
			got := r.Warnings()
			if len(got) != 1 || got[0].Kind != want || got[0].Of != 1 || r.Count() != len(its) {
				t.Fatalf("%s: %+v", p.Name, got)
			}
			if !reflect.DeepEqual(got[0].States, all[0].States) || !reflect.DeepEqual(got[0].Calls, all[0].Calls) {
				t.Errorf("%s: %+v %+v, want %+v %+v", p.Name, got[0].States, got[0].Calls, all[0].States, all[0].Calls)
			}
			return nil
		})
	}
}
