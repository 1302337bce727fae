package web

import (
	"fmt"
	"math"
	"net/http"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// walk returns the position over time: for each bucket the least and the largest of its
// points, in steps to the right of the first state. The position is unwrapped, so a
// whole turn round a ring does not lead back to 0. If the environment is not a line, a
// point is the distance from where the episode began, or else the number of states
// visited so far.
func (s *server) walk(r *request) (answer, error) {
	run, p, head, err := s.walkPart(r)
	if err != nil {
		return answer{}, err
	}
	primitive, err := r.isOn("primitive")
	if err != nil {
		return answer{}, err
	}
	head.Shows = showsIn(run.Env)
	e := newEnvelope(head)
	if primitive {
		err = readPrimitive(r.Context(), run, p, e)
	} else {
		err = s.walks.read(r.Context(), run, p.pieces, e)
	}
	if err != nil {
		return answer{}, fmt.Errorf("run %s: %w", run.Label(), err)
	}
	return e.answer()
}

// walkPart returns the part of a run's walk that a request asks for.
func (s *server) walkPart(r *request) (run *replay.Records, p walkLayout, head walkHead, err error) {
	if run, err = s.walker(r); err != nil {
		return run, p, head, err
	}
	first, last, err := iterationsOf(r, run)
	if err != nil {
		return run, p, head, err
	}
	if p, err = newLayout(run, first, last); err != nil {
		return run, p, head, err
	}
	head, err = p.window(r)
	return run, p, head, err
}

// walker returns the run that a request names, in which an agent walks.
func (s *server) walker(r *request) (*replay.Records, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err == nil && !pod.HasActions(run.Env) {
		err = schema.Hint(coded(http.StatusConflict, "nobody walks in environment %q", run.Spec.Env.Name),
			"podtrack show %s has what there is", textform.ShellQuote(run.Label()))
	}
	return run, err
}

// iterationsOf returns the range of iterations that a request asks for, one or all;
// last is exclusive.
func iterationsOf(r *request, run *replay.Records) (first, last int, err error) {
	k, err := r.number("k", -1, 0, math.MaxInt32)
	if err != nil || k < 0 {
		return 0, len(run.Iterations), err
	}
	return int(k), int(k) + 1, run.CheckIteration(int(k))
}
