package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// StagePrograms runs external stages in other processes. It implements the StageLauncher of package replay. STAGES.md
// describes the protocol. Each program is asked for its declarations once.
type StagePrograms struct {
	commands map[string][]Command // by stage
	declared answers[stageAnswer]
	idle     map[string]*stageProcess // programs that are kept between iterations, by the key; nil to keep none
}

// stageDeclarations are the stages that a program declares, by name.
type stageDeclarations map[string]schema.StageProgram

// stageAnswer is what a program declares: its stages, and its description of its code.
type stageAnswer struct {
	stages stageDeclarations
	code   codeAnswer
}

// NewStagePrograms returns the external stages that the commands serve, by the names in [schema.ExternalStages]. One
// command may serve several stages. If a stage has several commands, a run uses the first that declares what the spec
// requires.
func NewStagePrograms(commands map[string][]Command) *StagePrograms {
	return &StagePrograms{commands: commands, declared: answers[stageAnswer]{byKey: map[string]stageAnswer{}}}
}

// QueryStage returns what the command c declares for a stage.
func (s *StagePrograms) QueryStage(ctx context.Context, stage string, c Command) (schema.StageProgram, error) {
	declared, err := s.declared.get(c, func() (stageAnswer, error) {
		p, err := c.startStages(ctx, s.stagesOf(c.key()))
		if err != nil {
			return stageAnswer{}, err
		}
		return stageAnswer{p.declared, p.code}, p.close()
	})
	return declared.stages[stage], err
}

// stagesOf returns the stages that the command with this key serves, in the order of [schema.ExternalStages].
func (s *StagePrograms) stagesOf(key string) (stages []string) {
	for _, stage := range schema.ExternalStages() {
		if slices.ContainsFunc(s.commands[stage], func(c Command) bool { return c.key() == key }) {
			stages = append(stages, stage)
		}
	}
	return stages
}

// find returns the first command that declares a stage as declared does. If there is none, the error is that of the
// stage's first command, or [pod.ErrNoStage] if the stage has no command.
func (s *StagePrograms) find(ctx context.Context, stage string, declared *schema.Stages) (Command, error) {
	want := declared.Of(stage)
	var failed error
	for _, c := range s.commands[stage] {
		found, err := s.QueryStage(ctx, stage, c)
		switch {
		case err == nil && found.Equal(want):
			return c, nil
		case err == nil:
			err = pod.NewStageMismatch(stage, *want, found)
		}
		failed = cmp.Or(failed, err)
	}
	if failed == nil {
		failed = pod.NewNoStageError(stage, schema.Spec{Stages: declared})
	}
	return Command{}, failed
}

// CheckStages returns an error unless each of the declared stages has a program. It implements StageLauncher.
func (s *StagePrograms) CheckStages(ctx context.Context, declared *schema.Stages) error {
	for _, stage := range declared.Names() {
		if _, err := s.find(ctx, stage, declared); err != nil {
			return err
		}
	}
	return nil
}

// LaunchStages returns the declared stages that have a program. A program starts when it is first needed. It implements
// StageLauncher.
func (s *StagePrograms) LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error) {
	session := &stageSession{programs: s, commands: map[string]Command{}, running: map[string]*stageProcess{}}
	funcs := pod.StageFuncs{Close: session.close}
	for _, stage := range declared.Names() {
		c, err := s.find(ctx, stage, declared)
		switch {
		case err == nil:
			session.commands[stage] = c
			programStages[stage](session, &funcs)
		case !errors.Is(err, pod.ErrNoStage) && !errors.Is(err, pod.ErrStageMismatch):
			return funcs, err
		}
	}
	return funcs, nil
}

var _ replay.CodeStageLauncher = (*StagePrograms)(nil)

// Code returns the code of the program of each declared stage. It implements CodeStageLauncher of package replay.
func (s *StagePrograms) Code(declared *schema.Stages) (programs []tracker.Program) {
	for _, stage := range declared.Names() {
		c, err := s.find(context.Background(), stage, declared)
		if err != nil {
			continue // cannot happen: CheckStages found the stage
		}
		programs = append(programs, c.describe(declared.Of(stage).Name, declared.Of(stage).Version,
			s.declared.known(c).code))
	}
	return programs
}

// KeepRecorded makes programs that answer from recorded data run on between iterations, until end is called. Only one
// run at a time may use them.
func (s *StagePrograms) KeepRecorded() (end func() error) {
	s.idle = map[string]*stageProcess{}
	return func() (err error) {
		for _, p := range s.idle {
			err = errors.Join(err, p.close())
		}
		s.idle = nil
		return err
	}
}

// stageSession holds the running programs of one iteration.
type stageSession struct {
	programs *StagePrograms
	commands map[string]Command       // by stage
	running  map[string]*stageProcess // by the key of the command
}

// open returns the running program of a stage. It starts the program if necessary.
func (s *stageSession) open(ctx context.Context, stage string) (*stageProcess, error) {
	c := s.commands[stage]
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
		before, now := s.programs.declared.known(c).stages[stage], p.declared[stage]
		if !now.Equal(&before) {
			return nil, p.fail(AdviceStages, "it declares %s %s, but declared %s before", stage, now, before)
		}
	}
	return p, nil
}

// close ends the programs, except those that are kept for the next iteration.
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

// stageProcess is a running program that serves stages.
type stageProcess struct {
	*process
	declared stageDeclarations
	code     codeAnswer
	model    *pod.LearnModel // the last one sent to the program
	recorded bool            // the program answers from data recorded elsewhere
}

// close ends the program. It returns an error if the program wrote anything but its answers.
func (s *stageProcess) close() error {
	extra, err := s.process.close()
	if err == nil && len(extra) > 0 && s.failed == nil && s.ahead == 0 {
		err = schema.Hint(fmt.Errorf("%w: %s: it wrote more than its answers: %s", pod.ErrStageFailed, s.name,
			excerpt(extra)), AdviceStages)
	}
	return err
}

// Bounds of the line of a stage's answer.
const (
	stageLineBytes   = 1 << 20 // everything but numbers
	stageNumberBytes = 64      // each number
)

// expect sets the limits of the next answer: the count of numbers in its line, and the bytes of its payload.
func (s *stageProcess) expect(numbers, payload int) {
	s.maxLine, s.maxPayload = stageLineBytes+stageNumberBytes*numbers, payload
}

// recorded is the extension of programs that answer from data recorded elsewhere. Requests to them contain no data to
// compute from, large answers are sent as frames, and one process serves many iterations.
const recorded = "recorded"

// ahead is the extension of recorded programs that answer requests which have not been made.
const ahead = "ahead"

// startStages starts a program and asks it to declare the given stages.
func (c Command) startStages(ctx context.Context, stages []string) (*stageProcess, error) {
	started, err := c.startAs(ctx, pod.ErrStageFailed)
	if err != nil {
		return nil, err
	}
	p := &stageProcess{process: started}
	p.expect(0, 0)
	a, err := p.ask(ctx, object{"do", "hello", "protocol", protocol, "stages", stages,
		"extensions", []string{recorded, ahead}})
	if err != nil {
		return nil, err
	}
	if err := p.checkHello(a, stages); err != nil {
		return nil, err
	}
	if a.Code != nil {
		p.code = *a.Code
	}
	p.recorded = slices.Contains(a.Extensions, recorded)
	p.mayAnswerAhead = p.recorded && slices.Contains(a.Extensions, ahead)
	p.declared = a.Stages
	p.name = a.Stages[stages[0]].Name
	return p, nil
}

// checkHello checks the program's answer to hello, which must declare the given stages and no others.
func (s *stageProcess) checkHello(a answer, stages []string) error {
	if err := checkExtensions(a.Extensions, []string{recorded, ahead}); err != nil {
		return s.fail(AdviceStages, "%w", err)
	}
	if a.Protocol == nil || *a.Protocol != protocol {
		return s.fail(AdviceStages, "it does not speak version %d of the protocol of stages", protocol)
	}
	for _, stage := range stages {
		declared, ok := a.Stages[stage]
		if !ok {
			return s.fail(AdviceStages, "its answer to hello does not declare the stage %s", stage)
		}
		if len(declared.Params) == 0 {
			declared.Params = nil
		}
		if err := schema.CheckStage(stage, declared); err != nil {
			return s.fail("", "%w", err)
		}
		a.Stages[stage] = declared
	}
	for stage := range a.Stages {
		if !slices.Contains(stages, stage) {
			return s.fail(AdviceStages, "it declares the stage %q, which was not asked for", truncate(stage))
		}
	}
	return nil
}
