package sweep

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// PendingParts knows the runs that are in parts, on their way to a store. A part never
// changes, so each is read once. Any number of goroutines may use it.
type PendingParts struct {
	mu    sync.Mutex
	parts map[string][]report.Run // by path
}

// runningWithin is how old a part may be whose unfinished runs count as running: a task at work
// writes the next one before.
const runningWithin = 15 * time.Minute

// maxPendingParts bounds the parts of a folder that are read. A store names the folder, and
// it may be anyone's.
const maxPendingParts = 100_000

// Runs returns those in the parts of the plans' folders, of each the one that has come
// furthest. What cannot be read is left out: it is for who gathers to judge.
func (e *PendingParts) Runs(ctx context.Context, plans []tracker.TaggedPlan) (runs []report.Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := map[string][]report.Run{}
	for _, plan := range plans {
		if !filepath.IsAbs(plan.Folder) {
			continue // none, or none that podtrack wrote
		}
		parts, _ := Folder{plan.Folder}.Parts()
		for _, p := range parts[:min(len(parts), maxPendingParts)] {
			if ctx.Err() != nil {
				break
			}
			if _, twice := now[p.Path]; !twice {
				now[p.Path] = e.read(ctx, p)
				runs = report.MergeFurthest(runs, markRunning(p, now[p.Path]))
			}
		}
	}
	e.parts = now
	return runs
}

func (e *PendingParts) read(ctx context.Context, p Part) (runs []report.Run) {
	if known, ok := e.parts[p.Path]; ok {
		return known
	}
	if p.isFile() != nil {
		return nil
	}
	_ = p.open().View(ctx, func(tx *tracker.Tx) (err error) {
		runs, err = report.Select(tx, nil)
		return err
	})
	return runs
}

// markRunning are the runs of a part, those that are not complete as running where the part
// is of late.
func markRunning(p Part, runs []report.Run) []report.Run {
	info, err := os.Stat(p.Path)
	if err != nil || time.Since(info.ModTime()) > runningWithin {
		return runs
	}
	as := make([]report.Run, len(runs))
	for i, r := range runs {
		if as[i] = r; r.Status == tracker.Interrupted {
			as[i].Status = tracker.Running
		}
	}
	return as
}

// UsesFolder says whether runs of some plan come through a folder.
func UsesFolder(plans []tracker.TaggedPlan) bool {
	for _, p := range plans {
		if p.Folder != "" {
			return true
		}
	}
	return false
}
