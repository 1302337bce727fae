package api

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema/wire"
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

// along returns a visitor that records positions along a line.
func (t *track) along(line envs.Line) func(recorded.Step) {
	at := int64(0)
	return func(s recorded.Step) {
		if t.start < 0 {
			t.start = s.State
		}
		at += line.Offset(s.Action)
		t.x = append(t.x, int32(at))
	}
}

// place records the state that a step leads to, and whether an episode ends there.
func (t *track) place(s recorded.Step) {
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

// points returns the points to which the record's steps low to high, exclusive, lead, where its first one is step
// first of the walk. Of the steps before low, point is given only those with which an episode begins or ends: no
// distance depends on others.
func (t *track) points(first int64, low, high int, point func(recorded.Step) int64) []int32 {
	at, resets := reset{state: t.start}, t.resets
	for ; len(resets) > 0 && resets[0].at <= low; resets = resets[1:] {
		last := resets[0].at - 1
		point(t.step(first, at.at, at.state))
		point(recorded.Step{T: first + int64(last), State: at.state, Next: int(t.x[last]), Resets: true})
		at = resets[0]
	}
	state := at.state
	if at.at < low {
		point(t.step(first, at.at, state))
		state = int(t.x[low-1])
	}
	points := make([]int32, high-low)
	for i, next := range t.x[low:high] {
		s := recorded.Step{T: first + int64(low+i), State: state, Next: int(next)}
		if state = s.Next; len(resets) > 0 && resets[0].at == low+i+1 {
			s.Resets, state, resets = true, resets[0].state, resets[1:]
		}
		points[i] = int32(point(s))
	}
	return points
}

// step returns the record's step i from a state, where the first one is step first of the walk.
func (t *track) step(first int64, i, state int) recorded.Step {
	return recorded.Step{T: first + int64(i), State: state, Next: int(t.x[i])}
}

// segment is the summary of a track, kept after the track itself is dropped.
type segment struct {
	start, end int
	shift      int64 // position of end relative to start
}

// readSegment returns the summary of a track.
func (t *track) readSegment() segment {
	s := segment{start: t.start, end: t.end}
	if n := len(t.x); n > 0 {
		s.shift = int64(t.x[n-1])
	}
	return s
}

// load decodes one record, in a transaction of its own.
func load(ctx context.Context, run *recorded.Records, p piece) (*track, error) {
	t := &track{start: -1, x: make([]int32, 0, p.to-p.from)}
	visit := t.place
	if line, straight := envs.As[envs.Line](run.Env); straight {
		visit = t.along(line)
	}
	var err error
	t.end, err = run.VisitPart(p.k, p.part, visit)
	if n := len(t.resets); n > 0 && t.resets[n-1].at == len(t.x) {
		t.resets[n-1].state = t.end
	}
	if err == nil && int64(len(t.x)) != p.to-p.from {
		err = fmt.Errorf("record %s: %w: %d steps where %d belong", p.record, wire.ErrMalformed, len(t.x),
			p.to-p.from)
	}
	return t, err
}
