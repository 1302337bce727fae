package api

import (
	"context"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// trackKey is what a track depends on.
type trackKey struct {
	record schema.Digest
	env    string
}

// Limits of the cache: bytes of decoded walks, and number of segments.
const (
	maxTrackBytes = 64 << 20
	maxSegments   = 1 << 16
)

// walkCache decodes walks and keeps the most recently used ones. It decodes one record
// at a time, so that requests for the same record share the work.
type walkCache struct {
	store   *tracker.Store
	reading semaphore

	mu       sync.Mutex
	kept     lru[trackKey, *track]
	segments map[trackKey]segment
}

// newWalkCache returns an empty cache.
func newWalkCache(store *tracker.Store) *walkCache {
	return &walkCache{store: store, reading: newSemaphore(1, lightTurn), kept: newLRU[trackKey, *track](maxTrackBytes),
		segments: map[trackKey]segment{}}
}

// read adds the points of a walk to an envelope, as far as it needs them.
func (w *walkCache) read(ctx context.Context, run *recorded.Records, walk walkLayout, e *envelope) error {
	if len(walk.pieces) == 0 {
		return nil
	}
	e.addFirst()
	if e.Shows != showsPosition {
		return w.readStates(ctx, run, walk, e)
	}
	env, x, state := fmt.Sprint(run.Spec.Env), int64(0), -1
	for _, p := range walk.pieces {
		if p.from >= e.To {
			break
		}
		key := trackKey{p.record, env}
		over, known := w.findSegment(key)
		if !known || p.to >= e.From {
			t, err := w.track(ctx, run, p, key)
			if err != nil {
				return fmt.Errorf("iteration %d: %w", p.k, err)
			}
			e.add(p.from+1, x, t.x)
			over = t.readSegment()
		}
		if state >= 0 && over.start != state {
			return misplaced(p, over.start, state)
		}
		x, state = x+over.shift, over.end
	}
	return nil
}

// misplaced returns the error for a record that does not begin where the one before it
// ended.
func misplaced(p piece, state, behind int) error {
	return fmt.Errorf("iteration %d: record %s: %w: it begins in state %d, behind state %d", p.k, p.record,
		wire.ErrMalformed, state, behind)
}

// readStates does the work of read if the environment is not a line. It decodes all records from the first on: a number
// of states depends on all states before it, and a distance on where its episode began.
func (w *walkCache) readStates(ctx context.Context, run *recorded.Records, walk walkLayout, e *envelope) error {
	env, point, before := fmt.Sprint(run.Spec.Env), newPointFunc(walk.source(run)), piece{k: -1}
	episodes, state := envs.HasEpisodes(run.Env), -1
	for _, p := range walk.pieces {
		if p.from >= e.To {
			break
		}
		t, err := w.track(ctx, run, p, trackKey{p.record, env})
		if err != nil {
			return fmt.Errorf("iteration %d: %w", p.k, err)
		}
		begins := before.k < 0 || episodes && p.k != before.k // the walk, or an episode
		if !begins && t.start != state {
			return misplaced(p, t.start, state)
		}
		low, high := 0, min(e.To-p.from-1, p.to-p.from)
		if e.Shows == showsDistance {
			low = int(max(0, min(e.From-p.from-1, high)))
		}
		e.add(p.from+1+int64(low), 0, t.points(p.from, low, int(high), point))
		e.reset(p.from, t.resets)
		before, state = p, t.end
	}
	return nil
}

// findSegment returns the cached summary of a track.
func (w *walkCache) findSegment(key trackKey) (segment, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, known := w.segments[key]
	return s, known
}

// find returns a track from the cache.
func (w *walkCache) find(key trackKey) (*track, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.kept.get(key)
}

// track returns the track of a piece, from the cache or from the store.
func (w *walkCache) track(ctx context.Context, run *recorded.Records, p piece, key trackKey) (*track, error) {
	if t, found := w.find(key); found {
		return t, nil
	}
	if err := w.reading.acquire(ctx); err != nil {
		return nil, err
	}
	defer w.reading.release()
	if t, found := w.find(key); found { // another request has decoded it meanwhile
		return t, nil
	}
	t, err := load(ctx, run, p)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.segments) >= maxSegments {
		clear(w.segments)
	}
	w.kept.put(key, t, int64(4*cap(t.x)+16*cap(t.resets)))
	w.segments[key] = t.readSegment()
	return t, nil
}
