package web

import (
	"context"
	"net/http"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
)

// readPrimitive sets the points of an envelope to those of the walk that the run's seed makes of primitive actions
// alone, from the same first state, as podtrack plot walk draws it.
func readPrimitive(ctx context.Context, run *replay.Records, p walkLayout, e *envelope) error {
	if !pod.HasModel(run.Env) {
		return schema.Hint(coded(http.StatusConflict, "environment %q is only observed", run.Spec.Env.Name),
			"a walk of primitive actions is computed where the model is known")
	}
	if p.steps > maxShownSteps {
		return schema.Hint(coded(http.StatusConflict, "%d steps", p.steps),
			"a walk of primitive actions has up to %d here; podtrack plot walk %s has all", maxShownSteps,
			textform.ShellQuote(run.Label()))
	}
	if len(p.pieces) == 0 {
		return nil
	}
	source := figure.Source{Records: run, WholeRun: !p.single, K: p.k}
	at := newPointFunc(source)
	if e.Shows == showsStates {
		e.add(0, 0, []int32{1})
	} else {
		e.add(0, 0, []int32{0})
	}
	_, err := source.VisitPrimitiveSteps(ctx, func(s replay.Step) { e.add(s.T+1, at(s), []int32{0}) })
	return err
}

// newPointFunc returns a function that maps each step of a walk, visited in order, to the point it leads to.
func newPointFunc(source figure.Source) func(replay.Step) int64 {
	if position := source.Positions(); position != nil {
		return position
	}
	visited := pod.NewVisitedSet(source.Env.States())
	return func(s replay.Step) int64 {
		visited.Add(s.State)
		visited.Add(s.Next)
		return int64(visited.Len())
	}
}
