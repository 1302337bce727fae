package recorded

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// NewFitFunc returns a function that rejects records whose shape the run's spec cannot produce:
// another number of states, actions, features or steps. It returns nil if this program does not
// know the environment. Nothing large is allocated.
func NewFitFunc(run tracker.Run) tracker.ShapeCheck {
	env, err := pod.NewEnvForSpec(run.Spec)
	if err != nil {
		return nil
	}
	f := shapeChecker{
		run: run, walkable: envs.HasActions(env), states: uint64(env.States()), actions: uint64(len(env.Actions())),
		features: uint64(len(env.Features())), featuresGrow: envs.FeaturesGrow(env),
	}
	if x, ok := envs.As[*envs.External](env); ok {
		f.grows, f.observed = true, uint64(len(x.Features()))
	}
	return f.check
}

// shapeChecker holds the sizes of a run's environment.
type shapeChecker struct {
	run                       tracker.Run
	states, actions, features uint64
	walkable                  bool
	grows                     bool   // its states are the observations so far
	featuresGrow              bool   // for its method, the features are the observations too
	observed                  uint64 // features of an observation
}

// check implements tracker's fit function. FORMAT.md defines the dimensions of shapes.
func (s shapeChecker) check(k int, kind schema.Kind, shape schema.Shape) error {
	spec := s.run.SpecAt(k)
	switch kind {
	case schema.KindObservations:
		return s.expectAll(s.grows, expect("features", shape[2], s.observed))
	case schema.KindTransitions:
		return s.expectAll(s.walkable, expect("actions", shape[1], s.actions), expectChunk(shape[0], uint64(spec.Steps)))
	case schema.KindRewards:
		return s.expectAll(spec.Env.HasReward(), expectChunk(shape[0], uint64(spec.Steps)))
	case schema.KindRows:
		return s.expectAll(!s.walkable, expect("features", shape[1], s.features),
			expect("steps", shape[2], uint64(spec.Steps)))
	case schema.KindFactors:
		return s.expectFeatures(shape[1])
	case schema.KindSelection:
		if shape[0] > s.features && !s.featuresGrow {
			return newShapeError("it has %d directions, more than the %d features", shape[0], s.features)
		}
		return nil
	case schema.KindValue:
		return s.expectAll(s.walkable, s.expectStates(shape[0]))
	case schema.KindTheta:
		return s.expectAll(s.walkable, expect("actions", shape[0], s.actions), s.expectFeatures(shape[1]-1))
	case schema.KindOption:
		return s.expectAll(s.walkable, s.expectFeatures(shape[0]), s.expectStates(shape[1]),
			expect("actions", shape[2], s.actions))
	case schema.KindExternalMeasures:
		if !spec.HasExternalMeasures() {
			return newShapeError("no stage of the run's spec makes such records")
		}
	}
	return nil
}

// expectAll returns an error if the environment has no such records, else the first of errs.
func (s shapeChecker) expectAll(has bool, errs ...error) error {
	if !has {
		return newShapeError("environment %q has no such records", s.run.Spec.Env.Name)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// expectStates checks a number of states. An environment that still grows may have any number.
func (s shapeChecker) expectStates(n uint64) error {
	if s.grows {
		return nil
	}
	return expect("states", n, s.states)
}

// expectFeatures checks a number of features like expectStates.
func (s shapeChecker) expectFeatures(n uint64) error {
	if s.featuresGrow {
		return nil
	}
	return expect("features", n, s.features)
}

func expect(what string, found, want uint64) error {
	if found == want {
		return nil
	}
	return newShapeError("it has %d %s, but the run's spec makes %d", found, what, want)
}

// expectChunk checks the length of a chunk of transitions against the lengths of the iteration's
// chunks.
func expectChunk(found, steps uint64) error {
	if found == schema.ChunkSteps && steps >= found || found == steps%schema.ChunkSteps && found > 0 {
		return nil
	}
	return newShapeError("it has %d steps, but an iteration has %d in chunks of %d", found, steps, schema.ChunkSteps)
}

func newShapeError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, tracker.ErrDamaged)...)
}
