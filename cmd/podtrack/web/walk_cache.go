package web

import (
	"context"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// track is a decoded transitions record: positions along a line, or states.
type track struct {
	start, end int     // states
	x          []int32 // after each step: steps to the right of start, or the state before any reset
	resets     []reset // only if the environment is not a line
}

// reset is the start of an episode.
type reset struct {
	at    int // number of the record's steps before it
	state int
}

// segment is the summary of a track, kept after the track itself is dropped.
type segment struct {
	start, end int
	shift      int64 // position of end relative to start
}

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

// read adds the points of pieces to an envelope, as far as it needs them.
func (ts *walkCache) read(ctx context.Context, run *diff.Run, pieces []piece, e *envelope) error {
	if len(pieces) == 0 {
		return nil
	}
	if e.Shows != showsPosition {
		return ts.readStates(ctx, run, pieces, e)
	}
	env, x, state := fmt.Sprint(run.Spec.Env), int64(0), -1
	e.add(0, 0, []int32{0})
	for _, p := range pieces {
		if p.from >= e.To {
			break
		}
		key := trackKey{p.record, env}
		over, known := ts.findSegment(key)
		if !known || p.to >= e.From {
			t, err := ts.track(ctx, run, p, key)
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
		schema.ErrMalformed, state, behind)
}

// readStates does the work of read if the environment is not a line. It decodes all
// records from the first on: a point depends on all states before it.
func (ts *walkCache) readStates(ctx context.Context, run *diff.Run, pieces []piece, e *envelope) error {
	env, view, before := fmt.Sprint(run.Spec.Env), newPositions(run.Env()), piece{k: -1}
	episodes, state := pod.HasEpisodes(run.Env()), -1
	for _, p := range pieces {
		if p.from >= e.To {
			break
		}
		t, err := ts.track(ctx, run, p, trackKey{p.record, env})
		if err != nil {
			return fmt.Errorf("iteration %d: %w", p.k, err)
		}
		fresh := before.k < 0 || episodes && p.k != before.k // the start of the walk or of an episode
		if !fresh && t.start != state {
			return misplaced(p, t.start, state)
		}
		if fresh {
			first := view.begin(t.start)
			if before.k < 0 {
				e.add(0, 0, []int32{first})
			}
		}
		e.add(p.from+1, 0, view.follow(t))
		e.reset(p.from, t.resets)
		before, state = p, t.end
	}
	return nil
}

// readSegment returns the summary of a track.
func (t *track) readSegment() segment {
	s := segment{start: t.start, end: t.end}
	if n := len(t.x); n > 0 {
		s.shift = int64(t.x[n-1])
	}
	return s
}

// findSegment returns the cached summary of a track.
func (ts *walkCache) findSegment(key trackKey) (segment, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s, known := ts.segments[key]
	return s, known
}

// find returns a track from the cache.
func (ts *walkCache) find(key trackKey) (*track, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.kept.get(key)
}

// track returns the track of a piece, from the cache or from the store.
func (ts *walkCache) track(ctx context.Context, run *diff.Run, p piece, key trackKey) (*track, error) {
	if t, found := ts.find(key); found {
		return t, nil
	}
	if err := ts.reading.acquire(ctx); err != nil {
		return nil, err
	}
	defer ts.reading.release()
	if t, found := ts.find(key); found { // another request has decoded it meanwhile
		return t, nil
	}
	t, err := load(ctx, run, p)
	if err != nil {
		return nil, err
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.segments) >= maxSegments {
		clear(ts.segments)
	}
	ts.kept.put(key, t, int64(4*cap(t.x)+16*cap(t.resets)))
	ts.segments[key] = t.readSegment()
	return t, nil
}

// load decodes one record, in a transaction of its own.
func load(ctx context.Context, run *diff.Run, p piece) (*track, error) {
	t := &track{start: -1, x: make([]int32, 0, p.to-p.from)}
	visit := t.place
	if line, straight := pod.As[pod.Line](run.Env()); straight {
		visit = t.along(line)
	}
	record := schema.Iteration{Records: []schema.Entry{{Kind: schema.KindTransitions, Name: p.record}}}
	err := run.View(ctx, func(tx *tracker.Tx) (err error) {
		t.end, err = replay.VisitSteps(tx, run.Env(), p.options, record, visit)
		return err
	})
	if n := len(t.resets); n > 0 && t.resets[n-1].at == len(t.x) {
		t.resets[n-1].state = t.end
	}
	if err == nil && int64(len(t.x)) != p.to-p.from {
		err = fmt.Errorf("record %s: %w: %d steps where %d belong", p.record, schema.ErrMalformed, len(t.x),
			p.to-p.from)
	}
	return t, err
}

// along returns a visitor that records positions along a line.
func (t *track) along(line pod.Line) func(replay.Step) {
	at := int64(0)
	return func(s replay.Step) {
		if t.start < 0 {
			t.start = s.State
		}
		at += line.Offset(s.Action)
		t.x = append(t.x, int32(at))
	}
}

// place records the state that a step leads to, and whether an episode ends there.
func (t *track) place(s replay.Step) {
	if t.start < 0 {
		t.start = s.State
	}
	if n := len(t.resets); n > 0 && t.resets[n-1].at == len(t.x) {
		t.resets[n-1].state = s.State
	}
	t.x = append(t.x, int32(s.Next))
	if s.Resets {
		t.resets = append(t.resets, reset{at: len(t.x)})
	}
}
