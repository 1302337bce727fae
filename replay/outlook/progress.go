package outlook

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Counts counts runs by state.
type Counts struct {
	Complete    int `json:"complete"`
	Running     int `json:"running"`
	Interrupted int `json:"interrupted"`
	Failed      int `json:"failed"`
}

// CountRuns counts runs by their states.
func CountRuns(runs []report.Run) (c Counts) {
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

// Total returns the number of counted runs.
func (c Counts) Total() int { return c.Complete + c.Running + c.Interrupted + c.Failed }

// String returns the non-zero counts.
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

// Progress describes the progress of a tag with plans: of the union of their runs, each counted once, whatever its own
// tags are. For a selection, it counts only runs whose spec passes the filter.
type Progress struct {
	Tag     string `json:"tag"`
	Study   bool   `json:"study,omitempty"` // the tag is the name of a study
	Planned int    `json:"planned"`         // runs
	Counts
	Missing    int            `json:"missing"`    // planned runs that do not exist, or are complete with a lower target
	Iterations int64          `json:"iterations"` // completed iterations of all runs, each counted up to its target
	Target     int64          `json:"target"`     // sum of the planned iterations of all runs
	Left       *float64       `json:"left"`       // estimated seconds to completion, nil if unknown
	Set        time.Time      `json:"set"`        // when the newest plan was set
	Plans      []PlanProgress `json:"plans"`      // that make up the tag, newest first
}

// PlanProgress describes one of the plans of a tag.
type PlanProgress struct {
	Plan       schema.Digest `json:"plan"`       // its name
	Runs       int           `json:"runs"`       // selected runs
	Specs      int           `json:"specs"`      // specs that differ in more than the seed
	Iterations int           `json:"iterations"` // planned for each run
	Missing    int           `json:"missing"`
	Set        time.Time     `json:"set"`
	Folder     string        `json:"-"` // through which runs of other machines arrive, "" for none
}

// Done reports whether all planned runs are complete and none is running.
func (p Progress) Done() bool { return p.Complete >= p.Planned && p.Running == 0 }

// Fraction returns the fraction of completed iterations, from 0 to 1.
func (p Progress) Fraction() float64 {
	done, of := p.Iterations, p.Target
	if of == 0 {
		done, of = int64(p.Complete), int64(p.Planned)
	}
	return min(1, float64(done)/float64(of))
}

// String returns the counts of the planned runs.
func (p Progress) String() string {
	text := fmt.Sprintf("%d of %d complete", p.Complete, p.Planned) + p.others()
	if p.Missing > 0 {
		text += fmt.Sprintf(", %d missing", p.Missing)
	}
	return text
}

// Text returns the text beside the tag: String, with the estimated time left.
func (p Progress) Text() string {
	if p.Left == nil {
		return p.String()
	}
	return p.String() + ", about " + textfmt.Roughly(*p.Left) + " left"
}

// A plannedRun is an existing run with the number of iterations that a plan wants.
type plannedRun struct {
	*report.Run
	target int
}

// counted returns the run's iterations up to the planned number: more of them do not make up for other runs.
func (p plannedRun) counted() int64 { return int64(min(p.Iterations, p.target)) }

// count adds a run. A run with fewer iterations than planned that is complete by its own target has to be resumed: it
// is among the missing ones.
func (p *Progress) count(r plannedRun) {
	p.Iterations += r.counted()
	switch {
	case r.Status == tracker.Running:
		p.add(tracker.Running)
	case r.Iterations >= r.target:
		p.add(tracker.Complete)
	case r.Status != tracker.Complete:
		p.add(r.Status)
	}
}
