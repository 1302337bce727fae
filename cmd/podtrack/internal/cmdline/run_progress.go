package cmdline

import (
	"fmt"
	"io"
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

// share is where a stage begins and ends within an iteration, in thousandths.
var share = map[string][2]int64{
	replay.StageCollect: {0, 300},
	replay.StageFactor:  {300, 350},
	replay.StageLearn:   {350, 1000},
}

// Report displays the progress of an engine's event.
func (m *RunProgress) Report(e replay.Event) {
	if e.Resumed != nil {
		m.note(fmt.Sprintf("run %.7s: %s", e.Run, e.Resumed))
	}
	span, ok := share[e.Stage]
	if !ok {
		return
	}
	units := int64(e.K)*perMille + span[0] + (span[1]-span[0])*e.Done/max(e.Total, 1)
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
