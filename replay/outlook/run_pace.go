package outlook

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// RunPace describes how fast a running run progresses.
type RunPace struct {
	Text     string     `json:"text"`      // the pace in words
	Short    string     `json:"short"`     // the time left in words, "" if it is unknown
	Left     *float64   `json:"left"`      // as of [RunStatus]
	LeftFrom Evidence   `json:"left_from"` // as of [RunStatus]
	Each     *float64   `json:"each"`      // mean seconds of the last iterations by their recorded costs, nil if unknown
	Last     *time.Time `json:"last"`      // about when the last iteration ended, nil if unknown
	Alive    *time.Time `json:"alive"`     // last sign of life of the process, nil if there was none
}

const (
	maxKin = 200              // newest runs that are searched for similar ones
	quiet  = 20 * time.Second // silence worth mentioning: several times the interval of heartbeats
)

// Pacer describes the pace of running runs in one transaction.
type Pacer struct {
	tx  *tracker.Tx
	now time.Time
	e   *costEstimator // nil before it is needed
}

// NewPacer returns a pacer.
func NewPacer(tx *tracker.Tx, now time.Time) *Pacer { return &Pacer{tx: tx, now: now} }

// Load returns the pace of a run, nil if no process works on it. The time left is that of [LoadStatus], by the newest
// runs.
func (p *Pacer) Load(r report.Run) (*RunPace, error) {
	if r.Status != tracker.Running {
		return nil, nil
	}
	if p.e == nil {
		_, kin, err := report.LoadNewest(p.tx, 0, maxKin)
		if err != nil {
			return nil, err
		}
		p.e = &costEstimator{tx: p.tx, all: kin}
	}
	s, err := p.e.loadStatus(r)
	if err != nil {
		return nil, err
	}
	pace := &RunPace{Left: s.Left, LeftFrom: s.LeftFrom, Alive: s.Saved}
	if err := p.measure(pace, s); err != nil {
		return nil, err
	}
	pace.describe(r, p.now)
	return pace, nil
}

// measure finds how long the last iterations took, and when the last one ended. The store does not record that time; it
// follows from the time of the last save, and from how far the next iteration was then.
func (p *Pacer) measure(pace *RunPace, s RunStatus) error {
	lease, err := p.tx.ReadLease(s.ID)
	if err != nil {
		return err
	}
	if lease != nil {
		beat := time.Unix(0, lease.Beat).UTC()
		if pace.Alive == nil || beat.After(*pace.Alive) {
			pace.Alive = &beat
		}
	}
	recent, err := p.e.recentCosts(&s.Run)
	if err != nil {
		return err
	}
	each := recent.total()
	if each == 0 {
		return nil
	}
	pace.Each = &each
	if s.Saved == nil || lease == nil {
		return nil
	}
	within := max(0, s.Done*float64(max(s.Target, 1))-float64(s.Iterations))
	last := s.Saved.Add(-time.Duration(within * each * 1e9))
	if last.After(time.Unix(0, lease.Since)) { // otherwise another process made it
		pace.Last = &last
	}
	return nil
}

// describe puts the pace into words.
func (r *RunPace) describe(run report.Run, now time.Time) {
	ago := func(t *time.Time) string { return textfmt.Roughly(max(0, now.Sub(*t).Seconds())) }
	if r.Left != nil {
		if r.Short = textfmt.Roughly(*r.Left) + " left"; r.LeftFrom == AtLeast {
			r.Short = "≥ " + textfmt.AtLeast(*r.Left) + " left"
		}
	}
	r.Text = fmt.Sprintf("%d of %d iterations", run.Iterations, max(run.Target, run.Iterations))
	switch {
	case r.Left != nil && r.LeftFrom == AtLeast:
		r.Text += " · at least " + textfmt.AtLeast(*r.Left) + " left"
	case r.Left != nil:
		r.Text += " · about " + r.Short
	}
	if r.Each != nil {
		r.Text += " · " + textfmt.Briefly(*r.Each) + " each"
	}
	switch {
	case r.Each != nil && r.Last != nil:
		r.Text += ", the last one " + ago(r.Last) + " ago"
	case r.Alive != nil:
		r.Text += " · last sign of life " + ago(r.Alive) + " ago"
	}
	if r.Alive != nil && r.Last != nil && now.Sub(*r.Alive) > quiet {
		r.Text += " · no sign of life for " + ago(r.Alive)
	}
}
