package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Attempt is one process at work on a shard, in a store of its own. What it makes
// goes into the folder as parts, so that nothing is lost with the store but what was
// made since the last one.
type Attempt struct {
	folder Folder
	shard  Shard
	local  *tracker.Store
	token  string

	mu      sync.Mutex
	written int                        // parts
	saved   map[schema.Digest]Standing // what of each run in local is in the folder, or was taken from elsewhere
	where   map[schema.Digest]*ownPart // the last part that has the run
}

// ownPart is a part that this attempt wrote.
type ownPart struct {
	path string
	runs int // that no later one has
}

// NewAttempt begins with an empty store.
func (f Folder) NewAttempt(s Shard, local *tracker.Store) *Attempt {
	return &Attempt{folder: f, shard: s, local: local, token: token(), saved: map[schema.Digest]Standing{}, where: map[schema.Digest]*ownPart{}}
}

// Inherit takes over what earlier attempts, on whatever machine and with whatever
// shards, left of the runs of this shard, and what the sweep's store has of them.
// What is complete there is only noted in the ledger. Parts that are not what their
// names say are left alone and told of. The seal of a part vouches for its records
// where nobody else can have made it; others are proved.
func (a *Attempt) Inherit(ctx context.Context, store *tracker.Store, l *Ledger) (bad []error, err error) {
	parts, err := a.folder.Parts()
	if err != nil {
		return nil, err
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return !p.shard.meets(a.shard) })
	bad, err = eachPart(ctx, parts, Part.Verify, func(p Part) error {
		news, err := l.LookThrough(ctx, p.store())
		if err != nil {
			return err
		}
		return a.take(ctx, p.store(), l, news, p.CheckOwner() == nil)
	})
	if err != nil {
		return bad, err
	}
	if _, err := l.Look(ctx, store); err != nil {
		return bad, err
	}
	return bad, a.takeFrom(ctx, store, l)
}

// takeFrom copies what the sweep's store has of runs that have come further there than
// here: parts may have gone there while they were looked at.
func (a *Attempt) takeFrom(ctx context.Context, store *tracker.Store, l *Ledger) (err error) {
	if a.saved, err = a.standings(ctx); err != nil {
		return err
	}
	there := NewLedger(l.plan, l.shard)
	runs, err := there.Look(ctx, store)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool {
		return a.saved[id].There && a.saved[id].Iterations >= there.at[there.index[id]].Iterations
	})
	if err = a.take(ctx, store, l, runs, false); err == nil {
		a.saved, err = a.standings(ctx)
	}
	return err
}

// take copies those of the runs from a store, or a sealed part, that the ledger has not
// complete.
func (a *Attempt) take(ctx context.Context, from *tracker.Store, l *Ledger, runs []schema.Digest, sealed bool) error {
	runs = slices.DeleteFunc(runs, func(id schema.Digest) bool { return l.complete(l.index[id]) })
	if len(runs) == 0 {
		return nil
	}
	_, err := tracker.Copy(ctx, from, a.local, tracker.CopyOptions{Runs: runs, Validate: replay.Vet, CheckShape: replay.Fit, Sealed: sealed})
	return err
}

func (a *Attempt) standings(ctx context.Context) (map[schema.Digest]Standing, error) {
	now := map[schema.Digest]Standing{}
	err := a.local.View(ctx, func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			if now[run.ID], err = stand(tx, run.ID); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return now, err
}

// Save writes a part with the runs that went on since the last one, if any. When it
// returns, the part is on the disk.
func (a *Attempt) Save(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, err := a.standings(ctx)
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
		err = fmt.Errorf("write a part into %s: %w", a.folder.parts(), err)
	}
	return err
}

// Written is how many parts were written.
func (a *Attempt) Written() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.written
}

// write makes a part of those runs. It is proved as it is copied, then sealed, and
// only then it gets a name that others look at. A run that is not sound here costs no
// other: the sound ones are in the part, and are returned beside the error.
func (a *Attempt) write(ctx context.Context, runs []schema.Digest) (sound []schema.Digest, err error) {
	temp, err := tracker.NewTempDir(filepath.Join(a.folder.parts(), "part"), "part")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	part := tracker.New(temp.ContentPath(), tracker.Options{})
	if err := part.Initialize(); err != nil {
		return nil, err
	}
	copied, err := tracker.Copy(ctx, a.local, part, tracker.CopyOptions{Runs: runs, Validate: replay.Vet, CheckShape: replay.Fit})
	if err != nil {
		return nil, err
	}
	var unsound error
	for _, r := range copied.Runs {
		if r.Outcome == tracker.CopyNew {
			sound = append(sound, r.Run)
		} else if unsound == nil {
			unsound = schema.Hint(fmt.Errorf("run %.12s: %w: %s", r.Run, tracker.ErrDamaged, r.Reason), "the disk of this task is not to be trusted; the same command makes that run again, on another")
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

// publish seals a part and gives it its name.
func (a *Attempt) publish(ctx context.Context, temp *tracker.TempDir, runs []schema.Digest) error {
	if err := os.Chmod(temp.ContentPath(), 0o644); err != nil { // whatever the umask: see CheckOwner
		return err
	}
	seal, err := sealOf(ctx, temp.ContentPath())
	if err != nil {
		return err
	}
	a.written++
	path := a.partPath(seal)
	if err := temp.MoveTo(path, true); err != nil {
		return err
	}
	a.supersede(&ownPart{path, len(runs)}, runs)
	return nil
}

// supersede removes earlier parts of which later ones have every run: a run that takes
// long would fill the folder.
func (a *Attempt) supersede(part *ownPart, runs []schema.Digest) {
	for _, id := range runs {
		if before := a.where[id]; before != nil {
			if before.runs--; before.runs == 0 {
				_ = os.Remove(before.path) // who gathers may have been faster
			}
		}
		a.where[id] = part
	}
}
