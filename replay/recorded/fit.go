package recorded

import (
	"cmp"
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

// size is one of a record's sizes.
type size struct {
	what        string
	found, want uint64
	free        bool // any is possible
}

// check implements tracker's fit function. FORMAT.md defines the dimensions of shapes.
func (s shapeChecker) check(k int, kind schema.Kind, shape schema.Shape) error {
	spec := s.run.SpecAt(k)
	states := func(n uint64) size { return size{"states", n, s.states, s.grows} }
	features := func(n uint64) size { return size{"features", n, s.features, s.featuresGrow} }
	actions := func(n uint64) size { return size{"actions", n, s.actions, false} }
	switch kind {
	case schema.KindObservations:
		return s.expect(s.grows, size{"features", shape[2], s.observed, false})
	case schema.KindTransitions:
		return cmp.Or(s.expect(s.walkable, actions(shape[1])), expectChunk(shape[0], uint64(spec.Steps)))
	case schema.KindRewards:
		return cmp.Or(s.expect(spec.Env.HasReward()), expectChunk(shape[0], uint64(spec.Steps)))
	case schema.KindRows:
		return s.expect(!s.walkable, size{"features", shape[1], s.features, false},
			size{"steps", shape[2], uint64(spec.Steps), false})
	case schema.KindFactors:
		return s.expect(true, features(shape[1]))
	case schema.KindSelection:
		if shape[0] > s.features && !s.featuresGrow {
			return newShapeError("it has %d directions, more than the %d features", shape[0], s.features)
		}
		return nil
	case schema.KindValue:
		return s.expect(s.walkable, states(shape[0]))
	case schema.KindTheta:
		return s.expect(s.walkable, actions(shape[0]), features(shape[1]-1))
	case schema.KindOption:
		return s.expect(s.walkable, features(shape[0]), states(shape[1]), actions(shape[2]))
	case schema.KindExternalMeasures:
		if spec.Stages.Of(schema.MeasureStage) == nil {
			return newShapeError("no stage of the run's spec makes such records")
		}
	}
	return nil
}

// expect returns an error if the environment has no such records, or a size is not the one that the spec makes.
func (s shapeChecker) expect(has bool, sizes ...size) error {
	if !has {
		return newShapeError("environment %q has no such records", s.run.Spec.Env.Name)
	}
	for _, x := range sizes {
		if x.found != x.want && !x.free {
			return newShapeError("it has %d %s, but the run's spec makes %d", x.found, x.what, x.want)
		}
	}
	return nil
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
