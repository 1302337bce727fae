package sweep

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// PendingParts reads the runs in parts that have not been gathered yet. A part never changes, so
// each is read once. It may be used by several goroutines.
type PendingParts struct {
	mu    sync.Mutex
	parts map[string][]report.Run // by path
}

// runningWithin is the age of a part up to which its unfinished runs count as running: a worker
// writes the next part earlier.
const runningWithin = 15 * time.Minute

// maxPendingParts limits the parts of a folder that are read. A store names the folder, and it may
// belong to anyone.
const maxPendingParts = 100_000

// Runs returns the runs in the parts of the plans' folders, each from the part in which it is
// furthest. Unreadable parts are skipped: gathering reports them.
func (p *PendingParts) Runs(ctx context.Context, plans []tracker.PlannedTag) (runs []report.Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := map[string][]report.Run{}
	for _, plan := range plans {
		if !filepath.IsAbs(plan.Folder) {
			continue // none, or none that podtrack wrote
		}
		parts, _ := Folder{plan.Folder}.parts()
		for _, part := range parts[:min(len(parts), maxPendingParts)] {
			if ctx.Err() != nil {
				break
			}
			if _, twice := now[part.Path]; !twice {
				now[part.Path] = p.read(ctx, part)
				runs = outlook.MergeFurthest(runs, markRunning(part, now[part.Path]))
			}
		}
	}
	p.parts = now
	return runs
}

func (p *PendingParts) read(ctx context.Context, part Part) (runs []report.Run) {
	if known, ok := p.parts[part.Path]; ok {
		return known
	}
	if part.isFile() != nil {
		return nil
	}
	_ = part.open().View(ctx, func(tx *tracker.Tx) (err error) {
		runs, err = report.Select(tx, nil)
		return err
	})
	return runs
}

// markRunning returns the runs of a part, with the unfinished ones as running if the part is
// recent.
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

// UsesFolder reports whether runs of some plan are gathered from a folder.
func UsesFolder(plans []tracker.PlannedTag) bool {
	for _, p := range plans {
		if p.Folder != "" {
			return true
		}
	}
	return false
}
