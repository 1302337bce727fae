package evaluate

import (
	"context"
	"errors"
	"io"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// programIteration is the iteration whose seed a program is reset with, so that it is that of no iteration of a run.
const programIteration = 1 << 30

// checkProgram returns an error unless the program of the environment is there, if agents learn in it.
func (s *Subject) checkProgram(ctx context.Context, spec schema.EvaluationSpec) error {
	switch {
	case spec.Model != schema.ProgramModel:
		return nil
	case s.Launcher == nil:
		return replay.NewNoLauncherError(s.Run.Spec.Env)
	}
	return s.Launcher.CheckEnv(ctx, s.Run.Spec.Env)
}

// trainInProgram lets an agent learn in a process of its own of the environment's program.
func (j evaluation) trainInProgram(
	ctx context.Context, set pod.ActionSet, how pod.Training, seed uint64,
) (c pod.Curve, err error) {
	known, ok := pod.As[*pod.External](j.Env)
	if !ok {
		return c, pod.ErrModel
	}
	seen := known.Copy()
	running, err := j.Launcher.Launch(ctx, j.Run.Spec.Env, seen.Observed(), seed, programIteration)
	if err != nil {
		return c, err
	}
	if closer, ok := running.(io.Closer); ok {
		defer func() { err = errors.Join(err, closer.Close()) }()
	}
	world, set, err := pod.NewLearningWorld(running, seen, set)
	if err != nil {
		return c, err
	}
	return pod.Train(ctx, set, pod.NewProgramTask(world, j.spec.Gamma, j.spec.Limit), how, j.spec.Episodes,
		pod.NewStream(seed, 0, pod.TrainingStream))
}
