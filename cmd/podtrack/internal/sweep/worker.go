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
	saved    map[schema.Digest]RunProgress  // what of each run in local is in the folder, or was taken from elsewhere
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
		folder: f, shard: s, local: local, token: newToken(), saved: map[schema.Digest]RunProgress{},
		lastPart: map[schema.Digest]*writtenPart{},
	}
}

// RestoreParts copies what earlier workers, on any machine and with any shards, left of the runs
// of this shard, and what the sweep's store has of them. Complete runs are only noted in the
// progress. Parts whose digest does not match are skipped and reported in bad. The seal of a part
// replaces the verification of its records if nobody else can have written it.
func (a *Worker) RestoreParts(ctx context.Context, store *tracker.Store, l *Progress) (bad []error, err error) {
	parts, err := a.folder.Parts()
	if err != nil {
		return nil, err
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return !p.shard.overlaps(a.shard) })
	bad, err = forEachPart(ctx, parts, Part.Verify, func(p Part) error {
		news, err := l.ScanAll(ctx, p.open())
		if err != nil {
			return err
		}
		return a.copyRuns(ctx, p.open(), l, news, p.CheckOwner() == nil)
	})
	if err != nil {
		return bad, err
	}
	if _, err := l.Scan(ctx, store); err != nil {
		return bad, err
	}
	return bad, a.copyFromStore(ctx, store, l)
}

// copyFromStore copies the runs that are further in the sweep's store than here: parts may have
// been gathered meanwhile.
func (a *Worker) copyFromStore(ctx context.Context, store *tracker.Store, l *Progress) (err error) {
	if a.saved, err = a.readProgress(ctx); err != nil {
		return err
	}
	there := NewProgress(l.plan, l.shard)
	runs, err := there.Scan(ctx, store)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool {
		return a.saved[id].Exists && a.saved[id].Iterations >= there.at[there.index[id]].Iterations
	})
	if err = a.copyRuns(ctx, store, l, runs, false); err == nil {
		a.saved, err = a.readProgress(ctx)
	}
	return err
}

// TakeKept copies what the store of an earlier worker, which it could not save, has of the shard's runs beyond what is
// known, so that the next part has it.
func (a *Worker) TakeKept(ctx context.Context, kept *tracker.Store, l *Progress) error {
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
	if _, err = mergeInto(ctx, a.local, kept, runs, false); err == nil {
		_, err = l.ScanAll(ctx, a.local)
	}
	return err
}

// copyRuns copies those of the runs that are not complete from a store or a sealed part.
func (a *Worker) copyRuns(
	ctx context.Context, from *tracker.Store, l *Progress, runs []schema.Digest, sealed bool,
) error {
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool { return l.isComplete(l.index[id]) })
	if len(runs) == 0 {
		return nil
	}
	_, err := mergeInto(ctx, a.local, from, runs, sealed)
	return err
}

func (a *Worker) readProgress(ctx context.Context) (map[schema.Digest]RunProgress, error) {
	now := map[schema.Digest]RunProgress{}
	err := a.local.View(ctx, func(tx *tracker.Tx) error {
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
func (a *Worker) Save(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, err := a.readProgress(ctx)
	if err != nil {
		return err
	}
	var changed []schema.Digest
	for id, at := range now {
		if a.saved[id] != at {
			changed = append(changed, id)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	sound, err := a.write(ctx, changed)
	for _, id := range sound {
		a.saved[id] = now[id]
	}
	if err != nil {
		err = fmt.Errorf("write a part into %s: %w", a.folder.partsPath(), err)
	}
	return err
}

// PartsWritten returns the number of parts written.
func (a *Worker) PartsWritten() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.written
}

// write makes a part of those runs. Their records are verified while they are copied; then the
// part is sealed and renamed to the name that others look for. A damaged run does not affect the
// others: write returns the runs in the part beside the error.
func (a *Worker) write(ctx context.Context, runs []schema.Digest) (sound []schema.Digest, err error) {
	temp, err := tempfile.New(filepath.Join(a.folder.partsPath(), "part"), "part")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	part := tracker.New(temp.ContentPath(), tracker.Options{})
	if err := part.Initialize(); err != nil {
		return nil, err
	}
	copied, err := mergeInto(ctx, part, a.local, runs, false)
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
	if err := a.publish(ctx, temp, sound); err != nil {
		return nil, err
	}
	return sound, unsound
}

// publish seals a part and renames it to its final name.
func (a *Worker) publish(ctx context.Context, temp *tempfile.Dir, runs []schema.Digest) error {
	if err := os.Chmod(temp.ContentPath(), 0o644); err != nil { // whatever the umask: see CheckOwner
		return err
	}
	seal, err := hashFile(ctx, temp.ContentPath())
	if err != nil {
		return err
	}
	a.written++
	path := a.partPath(seal)
	if err := temp.MoveTo(path, true); err != nil {
		return err
	}
	a.removeSuperseded(&writtenPart{path, len(runs)}, runs)
	return nil
}

// removeSuperseded removes earlier parts whose runs are all in later ones: a long run would fill
// the folder.
func (a *Worker) removeSuperseded(part *writtenPart, runs []schema.Digest) {
	for _, id := range runs {
		if before := a.lastPart[id]; before != nil {
			if before.runs--; before.runs == 0 {
				_ = os.Remove(before.path) // who gathers may have been faster
			}
		}
		a.lastPart[id] = part
	}
}

func (a *Worker) partPath(seal string) string {
	return filepath.Join(a.folder.partsPath(),
		fmt.Sprintf("%04d-of-%04d.%s.%04d.%s.db", a.shard.I, a.shard.N, a.token, a.written, seal))
}
