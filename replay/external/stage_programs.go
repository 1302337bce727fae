package external

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// StagePrograms are external stages that run in other processes: a StageLauncher of package replay. STAGES.md has their
// protocol. Each program is asked once what it declares.
type StagePrograms struct {
	commands map[string]Command // by stage
	mu       sync.Mutex
	declared map[string]stageDeclarations // by the key of the command and the stages that it is asked for
	told     map[string]codeAnswer        // what their programs say of their code, by the key of the command
	idle     map[string]*stageProcess     // programs with recorded answers, between iterations; nil to keep none
}

type stageDeclarations map[string]schema.StageProgram

// NewStagePrograms returns the stages that commands start, by their names, which [schema.ExternalStages] lists. One
// command may stand for several stages.
func NewStagePrograms(commands map[string]Command) *StagePrograms {
	return &StagePrograms{commands: commands, declared: map[string]stageDeclarations{}, told: map[string]codeAnswer{}}
}

// QueryStage returns what the program of a stage declares about it. Without a program it returns [pod.ErrNoStage].
func (x *StagePrograms) QueryStage(ctx context.Context, stage string) (schema.StageProgram, error) {
	c, ok := x.commands[stage]
	if !ok {
		return schema.StageProgram{}, pod.NewNoStageError(stage, schema.Spec{})
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	key := c.key()
	if _, known := x.declared[key]; !known {
		p, err := c.startStages(ctx, x.stagesOf(key))
		if err != nil {
			return schema.StageProgram{}, err
		}
		x.declared[key], x.told[key] = p.declared, p.code
		if err := p.close(); err != nil {
			return schema.StageProgram{}, err
		}
	}
	return x.declared[key][stage], nil
}

// stagesOf returns the stages that a command is for, in their order.
func (x *StagePrograms) stagesOf(key string) (stages []string) {
	for _, stage := range schema.ExternalStages() {
		if c, ok := x.commands[stage]; ok && c.key() == key {
			stages = append(stages, stage)
		}
	}
	return stages
}

// CheckStages implements StageLauncher of package replay.
func (x *StagePrograms) CheckStages(ctx context.Context, declared *schema.Stages) error {
	for _, stage := range schema.ExternalStages() {
		want := declared.Of(stage)
		if want == nil {
			continue
		}
		if _, ok := x.commands[stage]; !ok {
			return pod.NewNoStageError(stage, schema.Spec{Stages: declared})
		}
		found, err := x.QueryStage(ctx, stage)
		if err != nil {
			return err
		}
		if !found.Equal(want) {
			return pod.NewStageMismatch(stage, *want, found)
		}
	}
	return nil
}

// LaunchStages implements StageLauncher of package replay. Programs start when they are first asked.
func (x *StagePrograms) LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error) {
	s := &stageSession{programs: x, running: map[string]*stageProcess{}}
	funcs := pod.StageFuncs{Close: s.close}
	for _, stage := range schema.ExternalStages() {
		want := declared.Of(stage)
		if _, ok := x.commands[stage]; want == nil || !ok {
			continue
		}
		found, err := x.QueryStage(ctx, stage)
		if err != nil {
			return funcs, err
		}
		if !found.Equal(want) {
			continue
		}
		switch stage {
		case schema.CollectStage:
			funcs.Collect = s.collect
		case schema.MethodStage:
			funcs.Method = s.factor
		case schema.SelectStage:
			funcs.Select = s.choose
		case schema.LearnerStage:
			funcs.Learn = s.learn
		case schema.MeasureStage:
			funcs.Measure = s.measure
		}
	}
	return funcs, nil
}

// KeepRecorded keeps the processes of programs that answer from what was recorded elsewhere from one iteration to the
// next, for one run at a time, until the function that it returns ends them.
func (x *StagePrograms) KeepRecorded() (end func() error) {
	x.idle = map[string]*stageProcess{}
	return func() (err error) {
		for _, p := range x.idle {
			err = errors.Join(err, p.close())
		}
		x.idle = nil
		return err
	}
}

// stageSession has the running programs of one iteration.
type stageSession struct {
	programs *StagePrograms
	running  map[string]*stageProcess // by the key of the command
}

// open returns the program of a stage, which it starts if it does not run.
func (s *stageSession) open(ctx context.Context, stage string) (*stageProcess, error) {
	c := s.programs.commands[stage]
	key := c.key()
	if p := s.running[key]; p != nil {
		return p, nil
	}
	if p := s.programs.idle[key]; p != nil {
		delete(s.programs.idle, key)
		s.running[key] = p
		return p, nil
	}
	stages := s.programs.stagesOf(key)
	p, err := c.startStages(ctx, stages)
	if err != nil {
		return nil, err
	}
	s.running[key] = p
	for _, stage := range stages {
		before, now := s.programs.declared[key][stage], p.declared[stage]
		if !now.Equal(&before) {
			return nil, p.fail(AdviceStages, "it declared %s %s before, and now %s", stage, before, now)
		}
	}
	return p, nil
}

// close ends the programs.
func (s *stageSession) close() (err error) {
	for key, p := range s.running {
		if p.recorded && p.failed == nil && s.programs.idle != nil {
			s.programs.idle[key] = p
			delete(s.running, key)
			continue
		}
		if failed := p.close(); err == nil {
			err = failed
		}
		delete(s.running, key)
	}
	return err
}

// stageProcess is a running program of stages.
type stageProcess struct {
	*process
	declared stageDeclarations
	code     codeAnswer
	model    *pod.LearnModel // that it was told
	recorded bool            // it answers from what was recorded elsewhere
}

// close ends the program, which must not have written anything that was not asked for.
func (p *stageProcess) close() error {
	extra, err := p.process.close()
	if err == nil && len(extra) > 0 && p.failed == nil {
		err = schema.Advise(fmt.Errorf("%w: %s: it wrote more than its answers: %s", pod.ErrStageFailed, p.name,
			excerpt(extra)), AdviceStages)
	}
	return err
}
