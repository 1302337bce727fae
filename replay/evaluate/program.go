package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// programIteration is the iteration whose seed a program is reset with, so that it is that of no iteration of a run.
const programIteration = 1 << 30

// checkProgram returns an error unless the program of the environment is there, with the files that it had, if agents
// learn in it.
func (s *Subject) checkProgram(ctx context.Context, spec schema.EvaluationSpec) error {
	switch {
	case spec.Model != schema.ProgramModel:
		return nil
	case s.Launcher == nil:
		return replay.NewNoLauncherError(s.Run.Spec.Env)
	}
	changes, err := s.CompareCode(ctx)
	if changed := provenance.ChangedFiles(changes); err == nil && len(changed) > 0 && !s.ChangedCode {
		err = schema.Advise(fmt.Errorf("agents cannot learn in the program of run %.7s: %w: %s", s.Run.ID,
			replay.ErrCodeChanged, changed[0]), replay.AdviceChangedCode)
	}
	return err
}

// CompareCode returns what differs between the code of the run's last session and that of the program in which agents
// learn.
func (s *Subject) CompareCode(ctx context.Context) (changes []provenance.Change, err error) {
	if err := s.Launcher.CheckEnv(ctx, s.Run.Spec.Env); err != nil {
		return nil, err
	}
	code := replay.Options{Launcher: s.Launcher, Code: new(tracker.Code)}.CodeFor(s.Run.Spec)
	err = s.store.View(ctx, func(tx *tracker.Tx) (err error) {
		changes, err = replay.CompareCode(tx, s.Run.ID, code)
		return err
	})
	return changes, err
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
