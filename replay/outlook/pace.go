package outlook

import (
	"cmp"
	"slices"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// minPaceRuns is the number of finished runs per running one that an estimate needs: the error from partly done runs is
// then small.
const minPaceRuns = 8

// maxGap is the longest time without work on any run that does not count as a pause: a process commits between two
// runs.
const maxGap = 2 * time.Second

// work is the work of one session on a run.
type work struct {
	begin, end time.Time
	made       int64 // iterations
}

// remainingSeconds estimates the time left from the iterations of the running and the newest other runs, and the time
// in which any of them was worked on, without pauses. Work before the newest plan was set does not count: other
// machines may have done it.
func (p Progress) remainingSeconds(tx *tracker.Tx, runs []plannedRun, now time.Time) *float64 {
	if p.Running == 0 || p.Iterations >= p.Target {
		return nil
	}
	slices.SortFunc(runs, func(a, b plannedRun) int { return b.Created.Compare(a.Created) })
	slices.SortStableFunc(runs, func(a, b plannedRun) int { return rankOfWork(a) - rankOfWork(b) })
	var all []work
	for _, r := range runs[:min(len(runs), minPaceRuns*p.Running)] {
		all = append(all, p.workOn(tx, r, now)...)
	}
	made := int64(0)
	for _, w := range all {
		made += w.made
	}
	since := timeOf(all).Seconds()
	if made == 0 || since <= 0 {
		return nil
	}
	return new(float64(p.Target-p.Iterations) * since / float64(made))
}

// rankOfWork orders runs that are being worked on before all others.
func rankOfWork(r plannedRun) int {
	if r.Status == tracker.Running {
		return 0
	}
	return 1
}

// workOn returns the work on a run since the newest plan was set.
func (p Progress) workOn(tx *tracker.Tx, r plannedRun, now time.Time) (all []work) {
	var sessions []tracker.Session
	if tx != nil {
		sessions, _ = tx.ReadSessions(r.ID) // progress is shown even if they are damaged
	}
	if len(sessions) == 0 && !r.Created.Before(p.Set) {
		return []work{{r.Created, now, r.counted()}}
	}
	for _, s := range sessions {
		w := work{time.Unix(0, s.Started), time.Unix(0, s.Ended), int64(s.To - s.From)}
		if s.State == tracker.SessionRunning {
			w.end = now
			if saved := time.Unix(0, s.Saved); now.Sub(saved) <= maxGap {
				w.end = saved // later work is not in the store yet
			}
		}
		if !w.begin.Before(p.Set) {
			all = append(all, w)
		}
	}
	return all
}

// timeOf returns the total time of the work, including gaps up to maxGap.
func timeOf(all []work) (total time.Duration) {
	slices.SortFunc(all, func(a, b work) int { return cmp.Or(a.begin.Compare(b.begin), a.end.Compare(b.end)) })
	var end time.Time
	for i, w := range all {
		if i == 0 || w.begin.Sub(end) > maxGap {
			end = w.begin
		}
		if w.end.After(end) {
			total += w.end.Sub(end)
			end = w.end
		}
	}
	return total
}
