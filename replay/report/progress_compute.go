package report

import (
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// ComputeProgress returns the progress of each plan. all lists every run of the store. tx has their sessions; without
// it, a run counts as worked on since it was created.
func ComputeProgress(tx *tracker.Tx, plans []tracker.TaggedPlan, all []Run, now time.Time) []Progress {
	progress, begun := make([]Progress, len(plans)), make([][]*Run, len(plans))
	at := map[string]int{}
	for i, plan := range plans {
		at[plan.Tag] = i
		progress[i] = Progress{
			Tag: plan.Tag, Planned: plan.Runs, Target: plan.Iterations, Set: time.Unix(0, plan.Set).UTC(),
			Folder: plan.Folder,
		}
	}
	for i := range all {
		for _, tag := range all[i].Tags {
			if n, planned := at[tag]; planned {
				progress[n].count(&all[i])
				begun[n] = append(begun[n], &all[i])
			}
		}
	}
	for i := range progress {
		p := &progress[i]
		p.Missing = max(0, p.Planned-p.Total())
		p.Left = p.remainingSeconds(tx, begun[i], now)
	}
	return progress
}
