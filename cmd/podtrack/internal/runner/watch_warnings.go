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
	// warningsAfter is how long an iteration takes before it is looked at what the recorded ones before it show:
	// long enough for their commit. Of shorter iterations, the end of the command tells.
	warningsAfter = 5 * time.Second

	// slowLearning is the remaining time of a stage that is worth a warning.
	slowLearning = time.Minute

	// lookedBack is how many of the iterations that a resumed run has are looked at.
	lookedBack = 4

	// maxWatchedFactors bounds the factors that are read beside an iteration in execution, in bytes, since no
	// estimate of its memory counts them. The end of the command reads larger ones.
	maxWatchedFactors = 64 << 20
)

// warningsWatch looks at the recorded iterations of runs while the next ones are executed, and at how long those take,
// so that a run of hours that finds nothing need not come to its end.
type warningsWatch struct {
	ctx   context.Context
	store *tracker.Store
	note  func(string)
	now   func() time.Time

	mu      sync.Mutex
	busy    bool
	group   sync.WaitGroup
	runs    map[schema.Digest]*watchedRun
	noticed map[warnings.Kind]bool // in any run: the first one tells for all
}

type watchedRun struct {
	warnings.Reader
	k     int          // iteration in execution
	since time.Time    // it is
	seen  int          // iterations that were looked at
	pace  cmdline.Pace // of its learning
}

func watchWarnings(ctx context.Context, store *tracker.Store, note func(string)) *warningsWatch {
	return &warningsWatch{ctx: ctx, store: store, note: note, now: time.Now, runs: map[schema.Digest]*watchedRun{},
		noticed: map[warnings.Kind]bool{}}
}

// report takes an engine's event and may begin to look, in the background.
func (fw *warningsWatch) report(e replay.Event) {
	fw.mu.Lock()
	defer fw.mu.Unlock()
	r := fw.runs[e.Run]
	if r == nil {
		r = &watchedRun{Reader: warnings.Reader{MaxFactors: maxWatchedFactors}, k: -1}
		fw.runs[e.Run] = r
	}
	if r.k != e.K {
		r.k, r.since, r.pace = e.K, fw.now(), cmdline.Pace{}
	}
	if e.Learning != nil {
		fw.judgePace(r, e)
	}
	if fw.busy || r.seen >= r.k || fw.now().Sub(r.since) < warningsAfter {
		return
	}
	fw.busy, r.seen = true, r.k
	k := r.k
	fw.group.Go(func() { fw.look(e.Run, r, k) })
}

// judgePace notes that an iteration takes long to learn its options, once that is clear.
func (fw *warningsWatch) judgePace(r *watchedRun, e replay.Event) {
	left, known := r.pace.Left(e.Done, e.Total, fw.now())
	if !known || left < slowLearning || fw.now().Sub(r.pace.Begun) < warningsAfter {
		return
	}
	l := warnings.Learning{Spec: e.Learning.Spec, Options: e.Total, States: e.Learning.States,
		Unknowns: e.Learning.Unknowns, Left: left}
	found := report.Run{Warnings: []warnings.Warning{l.Warning(e.K)}}
	hints.SetTexts(&found)
	fw.notice(e.Run, found.Warnings)
}

// look notes what is found in the iterations before k. An error is left to the command, which reads the same records
// at its end.
func (fw *warningsWatch) look(id schema.Digest, r *watchedRun, k int) {
	found := report.Run{}
	if err := fw.read(id, r, k); err == nil {
		found.Warnings = r.Warnings()
		hints.SetTexts(&found)
	}
	fw.mu.Lock()
	defer fw.mu.Unlock()
	fw.busy = false
	fw.notice(id, found.Warnings)
}

// read reads the iterations before k, each in a transaction of its own.
func (fw *warningsWatch) read(id schema.Digest, r *watchedRun, k int) error {
	if from := k - lookedBack; r.Count() == 0 && from > 0 {
		err := fw.store.View(fw.ctx, func(tx *tracker.Tx) error { return r.Skip(tx, id, from) })
		if err != nil {
			return err
		}
	}
	for r.Count() < k {
		err := fw.store.View(fw.ctx, func(tx *tracker.Tx) error {
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
func (fw *warningsWatch) notice(id schema.Digest, found []warnings.Warning) {
	for _, f := range found {
		if !fw.noticed[f.Kind] {
			fw.noticed[f.Kind] = true
			fw.note(hints.WarningLine(id.String()[:7], f))
		}
	}
}

// wait waits for what was begun.
func (fw *warningsWatch) wait() { fw.group.Wait() }
