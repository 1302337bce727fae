package api

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// walk returns the position over time: for each bucket the least and the largest of its
// points, in steps to the right of the first state. The position is unwrapped, so a
// whole turn round a ring does not lead back to 0. If the environment is not a line, a
// point is the distance from where the episode began, or else the number of states
// visited so far.
func (s *server) walk(r *request) (reply.Answer, error) {
	run, p, head, err := s.walkPart(r)
	if err != nil {
		return reply.Answer{}, err
	}
	primitive, err := r.isOn("primitive")
	if err != nil {
		return reply.Answer{}, err
	}
	head.Shows = showsIn(run.Env)
	e := newEnvelope(head)
	if primitive {
		err = readPrimitive(r.Context(), run, p, e)
	} else {
		err = s.walks.read(r.Context(), run, p, e)
	}
	if err != nil {
		return reply.Answer{}, fmt.Errorf("run %s: %w", run.Label(), err)
	}
	return e.answer()
}

// walkPart returns the part of a run's walk that a request asks for.
func (s *server) walkPart(r *request) (run *recorded.Records, p walkLayout, head walkHead, err error) {
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
func (s *server) walker(r *request) (*recorded.Records, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err == nil && !envs.HasActions(run.Env) {
		err = schema.Hint(reply.Errorf(http.StatusConflict, "environment %q has no actions, so no walk", run.Spec.Env.Name),
			"podtrack show %s has what there is", textfmt.ShellQuote(run.Label()))
	}
	return run, err
}

// iterationsOf returns the range of iterations that a request asks for, one or all;
// last is exclusive.
func iterationsOf(r *request, run *recorded.Records) (first, last int, err error) {
	k, err := r.number("k", -1, 0, math.MaxInt32)
	if err != nil || k < 0 {
		return 0, len(run.Iterations), err
	}
	return int(k), int(k) + 1, run.CheckIteration(int(k))
}

// Quantities by which a walk can be shown.
const (
	showsPosition = "position" // steps along a line
	showsDistance = "distance" // from the state in which the walk or its episode began
	showsStates   = "states"   // number of states visited so far
)

// showsIn returns the quantity by which walks in an environment are shown.
func showsIn(env envs.Env) string {
	if _, line := envs.As[envs.Line](env); line {
		return showsPosition
	}
	if _, metric := envs.As[envs.Metric](env); metric {
		return showsDistance
	}
	return showsStates
}

// newPointFunc returns a function that maps each step of a walk, visited in order, to the point it leads to.
func newPointFunc(walk figure.Source) func(recorded.Step) int64 {
	if position := walk.Positions(); position != nil {
		return position
	}
	visited := envs.NewVisitedSet(walk.Env.States())
	return func(s recorded.Step) int64 {
		visited.Add(s.State)
		visited.Add(s.Next)
		return int64(visited.Len())
	}
}

// readPrimitive sets the points of an envelope to those of the walk that the run's seed makes of primitive actions
// alone, from the same first state, as podtrack plot walk draws it.
func readPrimitive(ctx context.Context, run *recorded.Records, p walkLayout, e *envelope) error {
	if !envs.HasModel(run.Env) {
		return schema.Hint(reply.Errorf(http.StatusConflict, "environment %q is only observed", run.Spec.Env.Name),
			"a walk of primitive actions is computed where the model is known")
	}
	if p.steps > maxShownSteps {
		return schema.Hint(reply.Errorf(http.StatusConflict, "%d steps", p.steps),
			"a walk of primitive actions has up to %d here; podtrack plot walk %s has all", maxShownSteps,
			textfmt.ShellQuote(run.Label()))
	}
	if len(p.pieces) == 0 {
		return nil
	}
	source := p.source(run)
	point := newPointFunc(source)
	e.addFirst()
	_, err := source.VisitPrimitiveSteps(ctx, func(s recorded.Step) {
		e.add(s.T+1, point(s), []int32{0})
		if s.Resets {
			e.reset(s.T+1, []reset{{}})
		}
	})
	return err
}
