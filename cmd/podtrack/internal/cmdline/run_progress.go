package cmdline

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

const perMille = 1000 // units of an iteration

// RunProgress is a progress display for jobs.
type RunProgress struct {
	*Bar
	mu    sync.Mutex
	units map[schema.Digest]int64 // by run
	sum   int64
	total int64
}

// StartProgress starts a display for a number of runs with that many iterations in all.
func StartProgress(stderr io.Writer, runs int, iterations int64) *RunProgress {
	return &RunProgress{Bar: StartBar(stderr, Plural(runs, "run")), units: map[schema.Digest]int64{},
		total: iterations * perMille}
}

// Report displays the progress of an engine's event.
func (m *RunProgress) Report(e replay.Event) {
	if e.Resumed != nil {
		m.note(fmt.Sprintf("run %.7s: %s", e.Run, e.Resumed))
	}
	if !slices.Contains(replay.Stages, e.Stage) {
		return
	}
	units := int64(e.K)*perMille + int64(perMille*replay.FractionOfIteration(e.Stage, e.Done, e.Total))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum += units - m.units[e.Run]
	m.units[e.Run] = units
	m.Show(m.sum, m.total, fmt.Sprintf("; run %.7s is in iteration %d, %s", e.Run, e.K, e.Stage))
}

// Left removes a run from the display, with the number of iterations that it has now.
func (m *RunProgress) Left(run schema.Digest, after int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum += int64(after)*perMille - m.units[run]
	delete(m.units, run)
	m.Show(m.sum, m.total, "")
}
