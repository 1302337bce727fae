package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// Counts are how many runs there are in each state.
type Counts struct {
	Complete    int `json:"complete"`
	Running     int `json:"running"`
	Interrupted int `json:"interrupted"`
	Failed      int `json:"failed"`
}

// CountRuns counts runs by their states.
func CountRuns(runs []Run) (c Counts) {
	for i := range runs {
		c.add(runs[i].Status)
	}
	return c
}

func (c *Counts) add(s tracker.Status) {
	switch s {
	case tracker.Complete:
		c.Complete++
	case tracker.Running:
		c.Running++
	case tracker.Failed:
		c.Failed++
	case tracker.Interrupted:
		c.Interrupted++
	}
}

// Runs is how many were counted.
func (c Counts) Total() int { return c.Complete + c.Running + c.Interrupted + c.Failed }

// String says what there is.
func (c Counts) String() string { return fmt.Sprintf("%d complete", c.Complete) + c.others() }

func (c Counts) others() (text string) {
	for _, s := range []struct {
		runs int
		in   tracker.Status
	}{{c.Running, tracker.Running}, {c.Interrupted, tracker.Interrupted}, {c.Failed, tracker.Failed}} {
		if s.runs > 0 {
			text += fmt.Sprintf(", %d %s", s.runs, s.in)
		}
	}
	return text
}

// Progress is how far a tag is that has a plan. All runs with the tag count, also
// those that a filter leaves out.
type Progress struct {
	Tag     string `json:"tag"`
	Planned int    `json:"planned"` // runs
	Counts
	Missing    int       `json:"missing"`    // planned runs that are not in the store, or went less far and are left at that
	Iterations int64     `json:"iterations"` // of all its runs, of each at most its part of the plan's
	Target     int64     `json:"target"`     // iterations that the plan wants of all together
	Left       *float64  `json:"left"`       // seconds until then at its pace of late, nil where nobody can say
	Set        time.Time `json:"set"`        // when the plan was
}

// Done says that all planned runs are complete and none goes on.
func (p Progress) Done() bool { return p.Complete >= p.Planned && p.Running == 0 }

// Share is how much of the iterations there are, from 0 to 1.
func (p Progress) Fraction() float64 {
	done, of := p.Iterations, p.Target
	if of == 0 {
		done, of = int64(p.Complete), int64(p.Planned)
	}
	return min(1, float64(done)/float64(of))
}

// String is what people are told beside the tag. Runs that are missing while others
// run are only yet to come.
func (p Progress) String() string {
	text := fmt.Sprintf("%d of %d complete", p.Complete, p.Planned) + p.others()
	if p.Missing > 0 && p.Running == 0 {
		text += fmt.Sprintf(", %d missing", p.Missing)
	}
	return text
}

// ComputeProgress is that of each plan, all being every run of the store.
func ComputeProgress(plans []tracker.TaggedPlan, all []Run, now time.Time) []Progress {
	progress, begun := make([]Progress, len(plans)), make([][]*Run, len(plans))
	at := map[string]int{}
	for i, plan := range plans {
		at[plan.Tag] = i
		progress[i] = Progress{Tag: plan.Tag, Planned: plan.Runs, Target: plan.Iterations, Set: time.Unix(0, plan.Set).UTC()}
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
		p.Left = p.remainingSeconds(begun[i], now)
	}
	return progress
}

// count adds a run. One that is complete by a lower target than the plan's has yet to
// be begun again.
func (p *Progress) count(r *Run) {
	p.Iterations += p.countedIterations(r)
	if r.Status != tracker.Complete || int64(r.Iterations) >= p.Target/int64(p.Planned) {
		p.add(r.Status)
	}
}

// of is what a run counts for. One that was told to go on beyond the plan must not
// stand for others.
func (p Progress) countedIterations(r *Run) int64 {
	each := (p.Target + int64(p.Planned) - 1) / int64(p.Planned)
	return min(int64(r.Iterations), each)
}

// minPaceRuns is how many runs for each that is running show a pace: with as many, those
// under way when they began and now hardly weigh.
const minPaceRuns = 8

// left goes by what the newest runs have made since the first of them began, none of
// them before the plan was set: what is long ago may have been done by other machines,
// or with pauses.
func (p Progress) remainingSeconds(runs []*Run, now time.Time) *float64 {
	if p.Running == 0 || p.Iterations >= p.Target {
		return nil
	}
	runs = slices.DeleteFunc(runs, func(r *Run) bool { return r.Created.Before(p.Set) })
	slices.SortFunc(runs, func(a, b *Run) int { return b.Created.Compare(a.Created) })
	runs = runs[:min(len(runs), minPaceRuns*p.Running)]
	if len(runs) == 0 {
		return nil
	}
	made := int64(0)
	for _, r := range runs {
		made += p.countedIterations(r)
	}
	since := now.Sub(runs[len(runs)-1].Created).Seconds()
	if made == 0 || since <= 0 {
		return nil
	}
	left := float64(p.Target-p.Iterations) * since / float64(made)
	return &left
}
