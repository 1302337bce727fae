package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Worker is one process that executes a shard in a store of its own. It writes its results into
// the folder as parts, so that losing the store costs only the work since the last part.
type Worker struct {
	folder Folder
	shard  Shard
	local  *tracker.Store
	token  string

	mu       sync.Mutex
	written  int                            // parts
	saved    map[schema.Digest]runProgress  // what of each run in local is in the folder, or was taken from elsewhere
	lastPart map[schema.Digest]*writtenPart // the last part that has the run
}

// writtenPart is a part that this worker wrote.
type writtenPart struct {
	path string
	runs int // that no later one has
}

// NewWorker returns a worker with an empty store.
func (f Folder) NewWorker(s Shard, local *tracker.Store) *Worker {
	return &Worker{
		folder: f, shard: s, local: local, token: newToken(), saved: map[schema.Digest]runProgress{},
		lastPart: map[schema.Digest]*writtenPart{},
	}
}

// RestoreParts copies what earlier workers, on any machine and with any shards, left of the runs
// of this shard, and what the sweep's store has of them. Complete runs are only noted in the
// progress. Parts whose digest does not match are skipped and reported in bad. The seal of a part
// replaces the verification of its records if no other user can have written it.
func (w *Worker) RestoreParts(ctx context.Context, store *tracker.Store, l *Progress) (bad []error, err error) {
	parts, err := w.folder.parts()
	if err != nil {
		return nil, err
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return !p.shard.overlaps(w.shard) })
	bad, err = forEachPart(ctx, parts, Part.Verify, func(p Part) error {
		news, err := l.ScanAll(ctx, p.open())
		if err != nil {
			return err
		}
		return w.copyRuns(ctx, p.open(), l, news, p.CheckOwner() == nil)
	})
	if err != nil {
		return bad, err
	}
	if _, err := l.Scan(ctx, store); err != nil {
		return bad, err
	}
	return bad, w.copyFromStore(ctx, store, l)
}

// copyFromStore copies the runs that are further in the sweep's store than here: parts may have
// been gathered meanwhile.
func (w *Worker) copyFromStore(ctx context.Context, store *tracker.Store, l *Progress) (err error) {
	if w.saved, err = w.readProgress(ctx); err != nil {
		return err
	}
	there := NewProgress(l.plan, l.shard)
	runs, err := there.Scan(ctx, store)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool {
		return w.saved[id].Exists && w.saved[id].Iterations >= there.at[there.index[id]].Iterations
	})
	if err = w.copyRuns(ctx, store, l, runs, false); err == nil {
		w.saved, err = w.readProgress(ctx)
	}
	return err
}

// TakeKept copies what the store of an earlier worker, which it could not save, has of the shard's runs beyond what is
// known, so that the next part has it.
func (w *Worker) TakeKept(ctx context.Context, kept *tracker.Store, l *Progress) error {
	there := NewProgress(l.plan, l.shard)
	runs, err := there.ScanAll(ctx, kept)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool {
		at := l.at[l.index[id]]
		return at.Exists && at.Iterations >= there.at[there.index[id]].Iterations
	})
	if len(runs) == 0 {
		return nil
	}
	if _, err = mergeInto(ctx, w.local, kept, runs, false); err == nil {
		_, err = l.ScanAll(ctx, w.local)
	}
	return err
}

// copyRuns copies those of the runs that are not complete from a store or a sealed part.
func (w *Worker) copyRuns(
	ctx context.Context, from *tracker.Store, l *Progress, runs []schema.Digest, sealed bool,
) error {
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool { return l.isComplete(l.index[id]) })
	if len(runs) == 0 {
		return nil
	}
	_, err := mergeInto(ctx, w.local, from, runs, sealed)
	return err
}

func (w *Worker) readProgress(ctx context.Context) (map[schema.Digest]runProgress, error) {
	now := map[schema.Digest]runProgress{}
	err := w.local.View(ctx, func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			if now[run.ID], err = readRunProgress(tx, run.ID); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return now, err
}

// Save writes a part with the runs that changed since the last one, if any. When it returns, the
// part is on disk.
func (w *Worker) Save(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, err := w.readProgress(ctx)
	if err != nil {
		return err
	}
	var changed []schema.Digest
	for id, at := range now {
		if w.saved[id] != at {
			changed = append(changed, id)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	sound, err := w.write(ctx, changed)
	for _, id := range sound {
		w.saved[id] = now[id]
	}
	if err != nil {
		err = fmt.Errorf("write a part into %s: %w", w.folder.partsPath(), err)
	}
	return err
}

// PartsWritten returns the number of parts written.
func (w *Worker) PartsWritten() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written
}

// write makes a part of those runs. Their records are verified while they are copied; then the
// part is sealed and renamed to the name that others look for. A damaged run does not affect the
// others: write returns the runs in the part beside the error.
func (w *Worker) write(ctx context.Context, runs []schema.Digest) (sound []schema.Digest, err error) {
	temp, err := tempfile.New(filepath.Join(w.folder.partsPath(), "part"), "part")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	part := tracker.New(temp.ContentPath(), tracker.Options{})
	if err := part.Initialize(); err != nil {
		return nil, err
	}
	copied, err := mergeInto(ctx, part, w.local, runs, false)
	if err != nil {
		return nil, err
	}
	var unsound error
	for _, r := range copied.Runs {
		if r.Outcome == merge.OutcomeNew {
			sound = append(sound, r.Run)
		} else if unsound == nil {
			unsound = schema.Hint(fmt.Errorf("run %.12s: %w: %s", r.Run, tracker.ErrDamaged, r.Reason),
				"do not trust the disk of this task; the same command computes that run again on another machine")
		}
	}
	if len(sound) == 0 {
		return nil, unsound
	}
	if err := w.publish(ctx, temp, sound); err != nil {
		return nil, err
	}
	return sound, unsound
}

// publish seals a part and renames it to its final name.
func (w *Worker) publish(ctx context.Context, temp *tempfile.Dir, runs []schema.Digest) error {
	if err := os.Chmod(temp.ContentPath(), 0o644); err != nil { // whatever the umask: see CheckOwner
		return err
	}
	seal, err := hashFile(ctx, temp.ContentPath())
	if err != nil {
		return err
	}
	w.written++
	path := w.partPath(seal)
	if err := temp.MoveTo(path, true); err != nil {
		return err
	}
	w.removeSuperseded(&writtenPart{path, len(runs)}, runs)
	return nil
}

// removeSuperseded removes earlier parts whose runs are all in later ones: a long run would fill
// the folder.
func (w *Worker) removeSuperseded(part *writtenPart, runs []schema.Digest) {
	for _, id := range runs {
		if before := w.lastPart[id]; before != nil {
			if before.runs--; before.runs == 0 {
				_ = os.Remove(before.path) // a gathering process may have removed it
			}
		}
		w.lastPart[id] = part
	}
}

func (w *Worker) partPath(seal string) string {
	return filepath.Join(w.folder.partsPath(),
		fmt.Sprintf("%04d-of-%04d.%s.%04d.%s.db", w.shard.I, w.shard.N, w.token, w.written, seal))
}
