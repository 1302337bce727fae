package runner

import (
	"context"
	"sync"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

const (
	// warningsAfter is how long an iteration runs before the recorded ones before it are examined: long enough for
	// their commit. At its end the command reports on iterations that took less.
	warningsAfter = 5 * time.Second

	// slowLearning is the remaining time of a stage that is worth a warning.
	slowLearning = time.Minute

	// lookedBack is how many of the recorded iterations of a resumed run are examined.
	lookedBack = 4

	// maxWatchedFactors bounds the factors that are read while an iteration is executed, in bytes, since the estimates
	// of its memory do not count them. Larger ones are read at the end of the command.
	maxWatchedFactors = 64 << 20
)

// warningsWatch examines the recorded iterations of runs while the next ones are executed, and how long these take, so
// that a run of hours that finds nothing can be stopped early.
type warningsWatch struct {
	ctx   context.Context
	store *tracker.Store
	note  func(string)
	now   func() time.Time

	mu      sync.Mutex
	busy    bool
	group   sync.WaitGroup
	runs    map[schema.Digest]*watchedRun
	noticed map[warnings.Kind]bool // in any run; each kind is noted once
}

type watchedRun struct {
	warnings.Reader
	k     int          // iteration in execution
	since time.Time    // when k began
	seen  int          // iterations that were examined
	pace  cmdline.Pace // of its learning
}

func watchWarnings(ctx context.Context, store *tracker.Store, note func(string)) *warningsWatch {
	return &warningsWatch{ctx: ctx, store: store, note: note, now: time.Now, runs: map[schema.Digest]*watchedRun{},
		noticed: map[warnings.Kind]bool{}}
}

// report takes an engine's event and may begin to examine iterations, in the background.
func (w *warningsWatch) report(e replay.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.runs[e.Run]
	if r == nil {
		r = &watchedRun{Reader: warnings.Reader{MaxFactors: maxWatchedFactors}, k: -1}
		w.runs[e.Run] = r
	}
	if r.k != e.K {
		r.k, r.since, r.pace = e.K, w.now(), cmdline.Pace{}
	}
	if e.Learning != nil {
		w.judgePace(r, e)
	}
	if w.busy || r.seen >= r.k || w.now().Sub(r.since) < warningsAfter {
		return
	}
	w.busy, r.seen = true, r.k
	k := r.k
	w.group.Go(func() { w.look(e.Run, r, k) })
}

// judgePace notes that an iteration takes long to learn its options, once that is clear.
func (w *warningsWatch) judgePace(r *watchedRun, e replay.Event) {
	left, known := r.pace.Left(e.Done, e.Total, w.now())
	if !known || left < slowLearning || w.now().Sub(r.pace.Begun) < warningsAfter {
		return
	}
	l := warnings.Learning{Spec: e.Learning.Spec, Options: e.Total, States: e.Learning.States,
		Unknowns: e.Learning.Unknowns, Left: left}
	found := report.Run{Warnings: []warnings.Warning{l.Warning(e.K)}}
	hints.SetTexts(&found)
	w.notice(e.Run, found.Warnings)
}

// look notes what is found in the iterations before k. An error is left to the command, which reads the same records
// at its end.
func (w *warningsWatch) look(id schema.Digest, r *watchedRun, k int) {
	found := report.Run{}
	if err := w.read(id, r, k); err == nil {
		found.Warnings = r.Warnings()
		hints.SetTexts(&found)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false
	w.notice(id, found.Warnings)
}

// read reads the iterations before k, each in a transaction of its own.
func (w *warningsWatch) read(id schema.Digest, r *watchedRun, k int) error {
	if from := k - lookedBack; r.Count() == 0 && from > 0 {
		err := w.store.View(w.ctx, func(tx *tracker.Tx) error { return r.Skip(tx, id, from) })
		if err != nil {
			return err
		}
	}
	for r.Count() < k {
		err := w.store.View(w.ctx, func(tx *tracker.Tx) error {
			run, err := tx.ReadRun(id)
			if err != nil {
				return err
			}
			it, err := tx.ReadIteration(id, r.Count())
			if err != nil {
				return err
			}
			return r.AddNext(tx, run, it)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// notice notes warnings about a run whose kinds were not noted yet.
func (w *warningsWatch) notice(id schema.Digest, found []warnings.Warning) {
	for _, f := range found {
		if !w.noticed[f.Kind] {
			w.noticed[f.Kind] = true
			line := hints.WarningLine(id.String()[:7], f)
			if f.Kind == warnings.SlowLearning { // which no run reports when it is complete
				line = cmdline.NoteLine(line)
			}
			w.note(line)
		}
	}
}

// wait waits for what was begun.
func (w *warningsWatch) wait() { w.group.Wait() }
