package api

import (
	"fmt"
	"math"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// walkWidth is how many buckets a walk has unless the request gives a width.
const (
	walkWidth    = 1000
	maxWalkWidth = 4000
)

// walkHead is the line of JSON before the numbers of a walk. Point t is the position
// after t steps, so there is one point more than steps.
type walkHead struct {
	Steps      int64   `json:"steps"`      // of the run, or of the iteration
	From       int64   `json:"from"`       // the first point shown
	To         int64   `json:"to"`         // the end, exclusive
	Bucket     int64   `json:"bucket"`     // points per pair of numbers
	Boundaries []int64 `json:"boundaries"` // steps after which each iteration but the first begins
	Shows      string  `json:"shows"`      // position, distance or states
	Episodes   int64   `json:"episodes"`   // number of episodes that end at a point shown
	Resets     []int64 `json:"resets"`     // those points, empty if there are too many
}

// walkLayout is where the points of a walk are recorded.
type walkLayout struct {
	steps      int64
	boundaries []int64
	pieces     []piece
	single     bool // of one iteration, and not all
	k          int  // the iteration if it is one
}

// piece is a transitions record. Its steps lead to the points from + 1 to to,
// inclusive.
type piece struct {
	k        int
	part     int // of the iteration's
	record   schema.Digest
	from, to int64
}

// newLayout returns the layout of iterations first to last, exclusive. Their steps are
// recorded in chunks of [schema.ChunkSteps].
func newLayout(run *recorded.Records, first, last int) (walkLayout, error) {
	p := walkLayout{boundaries: []int64{}, single: last == first+1, k: first}
	for k, it := range run.Iterations[:last] {
		if k >= first {
			if k > first {
				p.boundaries = append(p.boundaries, p.steps)
			}
			if err := p.add(k, run.SpecAt(k).Steps, it.RecordsOf(schema.KindTransitions)); err != nil {
				return p, run.WrapError(k, err)
			}
		}
	}
	return p, nil
}

// source returns the walk's iterations as a figure reads them: step t of both is the same.
func (w *walkLayout) source(run *recorded.Records) figure.Source {
	return figure.Source{Records: run, WholeRun: !w.single, K: w.k}
}

// add appends the records of an iteration.
func (w *walkLayout) add(k int, steps int64, chunks []schema.Digest) error {
	if want := (steps + schema.ChunkSteps - 1) / schema.ChunkSteps; int64(len(chunks)) != want {
		return fmt.Errorf("%w: %d records of %d steps", wire.ErrMalformed, len(chunks), steps)
	}
	for part, name := range chunks {
		n := min(steps, schema.ChunkSteps)
		w.pieces = append(w.pieces, piece{k: k, part: part, record: name, from: w.steps, to: w.steps + n})
		w.steps, steps = w.steps+n, steps-n
	}
	return nil
}

// window returns the part of the walk that a request asks for.
func (w *walkLayout) window(r *request) (h walkHead, err error) {
	h = walkHead{Steps: w.steps, Bucket: 1, Boundaries: w.boundaries, Resets: []int64{}}
	if h.From, err = r.number("from", 0, 0, max(w.steps, 0)); err != nil {
		return h, err
	}
	if h.To, err = r.number("to", w.steps+1, 1, math.MaxInt64); err != nil {
		return h, err
	}
	width, err := r.number("width", walkWidth, 1, maxWalkWidth)
	if err != nil {
		return h, err
	}
	if h.To = min(h.To, w.steps+1); h.To <= h.From {
		return h, schema.Hint(reply.Errorf(http.StatusBadRequest, "a walk from %d to %d", h.From, h.To),
			"to is behind from, at most %d", w.steps+1)
	}
	if len(w.pieces) == 0 {
		h.To = h.From // without iterations not even the first state is known
	}
	h.Bucket = max(1, (h.To-h.From+width-1)/width)
	return h, nil
}
