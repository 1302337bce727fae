package cmdline

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

const perMille = 1000 // units of an iteration

// RunProgress is a progress display for jobs.
type RunProgress struct {
	*Bar
	mu     sync.Mutex
	units  map[schema.Digest]int64 // by run
	stages map[schema.Digest]*stagePace
	sum    int64
	total  int64
}

// StartProgress starts a display for a number of runs with that many iterations in all.
func StartProgress(stderr io.Writer, runs int, iterations int64) *RunProgress {
	return &RunProgress{
		Bar: StartBar(stderr, textfmt.CountOf(runs, "run")), units: map[schema.Digest]int64{},
		stages: map[schema.Digest]*stagePace{}, total: iterations * perMille}
}

// Report displays the progress of an engine's event.
func (r *RunProgress) Report(e replay.Event) {
	if e.Resumed != nil {
		r.Note(fmt.Sprintf("run %.7s: %s", e.Run, e.Resumed))
		for _, note := range CodeNotes(fmt.Sprintf("run %.7s", e.Run), e.Resumed.Changes...) {
			r.Note(NoteLine(note))
		}
	}
	if !slices.Contains(stages.All, e.Stage) {
		return
	}
	units := int64(e.K)*perMille + int64(perMille*stages.FractionOfIteration(e.Stage, e.Done, e.Total))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum += units - r.units[e.Run]
	r.units[e.Run] = units
	r.Show(r.sum, r.total, fmt.Sprintf("; run %.7s is in iteration %d, %s%s", e.Run, e.K, e.Stage, r.leftOfStage(e)))
}

// CodeNotes returns a line for each known change of the runs' code since the session before; subject names the runs.
func CodeNotes(subject string, changes ...provenance.Change) (notes []string) {
	for _, change := range provenance.Known(changes) {
		notes = append(notes, fmt.Sprintf("%s: the code differs from that of the session before: %s", subject, change))
	}
	return notes
}

// stagePace is the pace of the stage that a run is in.
type stagePace struct {
	replay.Event // the stage's first
	begun        time.Time
}

// leftOfStage returns how long the stage will go on at the pace so far, "" if that is unknown or
// short.
func (r *RunProgress) leftOfStage(e replay.Event) string {
	p := r.stages[e.Run]
	if p == nil || p.K != e.K || p.Stage != e.Stage || p.Total != e.Total {
		p = &stagePace{e, time.Now()}
		r.stages[e.Run] = p
	}
	if e.Done <= p.Done {
		return ""
	}
	left := time.Duration(float64(time.Since(p.begun)) / float64(e.Done-p.Done) * float64(e.Total-e.Done))
	if left < lineEvery/2 {
		return ""
	}
	return fmt.Sprintf(", about %v left of that", left.Round(time.Second))
}

// Left removes a run from the display, with the number of iterations that it has now.
func (r *RunProgress) Left(run schema.Digest, after int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum += int64(after)*perMille - r.units[run]
	delete(r.units, run)
	delete(r.stages, run)
	r.Show(r.sum, r.total, "")
}
