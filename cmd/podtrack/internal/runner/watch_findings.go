package runner

import (
	"context"
	"sync"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/findings"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// findingsAfter is how long an iteration takes before it is looked at what the recorded ones before it show: long
// enough for their commit. Of shorter iterations, the end of the command tells.
const findingsAfter = 5 * time.Second

// findingsWatch looks at the recorded iterations of runs while the next ones are executed, so that a run of hours that
// finds nothing need not come to its end.
type findingsWatch struct {
	ctx   context.Context
	store *tracker.Store
	note  func(string)

	mu      sync.Mutex
	busy    bool
	group   sync.WaitGroup
	runs    map[schema.Digest]*watchedRun
	noticed map[findings.Kind]bool // in any run: the first one tells for all
}

type watchedRun struct {
	findings.Reader
	k     int       // iteration in execution
	since time.Time // it is
	seen  int       // iterations that were looked at
}

func watchFindings(ctx context.Context, store *tracker.Store, note func(string)) *findingsWatch {
	return &findingsWatch{ctx: ctx, store: store, note: note, runs: map[schema.Digest]*watchedRun{},
		noticed: map[findings.Kind]bool{}}
}

// report takes an engine's event and may begin to look, in the background.
func (w *findingsWatch) report(e replay.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.runs[e.Run]
	if r == nil {
		r = &watchedRun{k: -1}
		w.runs[e.Run] = r
	}
	if r.k != e.K {
		r.k, r.since = e.K, time.Now()
	}
	if w.busy || r.seen >= r.k || time.Since(r.since) < findingsAfter {
		return
	}
	w.busy, r.seen = true, r.k
	w.group.Go(func() { w.look(e.Run, r) })
}

// look notes what is found. An error is left to the command, which reads the same records at its end.
func (w *findingsWatch) look(id schema.Digest, r *watchedRun) {
	found := report.Run{}
	err := w.store.View(w.ctx, func(tx *tracker.Tx) error {
		run, err := tx.ReadRun(id)
		if err != nil {
			return err
		}
		iterations, err := tx.ReadIterations(id)
		if err != nil {
			return err
		}
		return r.AddFrom(tx, run, iterations)
	})
	if err == nil {
		found.Findings = r.Findings()
		remedies.Word(&found)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false
	for _, f := range found.Findings {
		if !w.noticed[f.Kind] {
			w.noticed[f.Kind] = true
			w.note(remedies.FindingLine(id.String()[:7], f))
		}
	}
}

// wait waits for what was begun.
func (w *findingsWatch) wait() { w.group.Wait() }
