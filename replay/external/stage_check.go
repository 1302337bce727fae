package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// StageConformance describes the programs of stages after their checks.
type StageConformance struct {
	Stages *schema.Stages `json:"stages"` // as declared, nil if a declaration is missing
	Checks Checks         `json:"checks"`
	// Seconds is the mean time of an answer, by measured stage.
	Seconds map[string]float64 `json:"seconds"`
}

// CheckStages checks the programs of a spec's external stages, one for each; other stages may be built in. Each program
// gets the requests of a run's first iterations: twice in one process, and then in another process in reverse order.
func CheckStages(ctx context.Context, x *StagePrograms, spec schema.Spec) (StageConformance, error) {
	t := stageTest{programs: x, spec: spec, result: StageConformance{Seconds: map[string]float64{}}}
	if spec.Steps > schema.ChunkSteps {
		return t.result, schema.Hint(fmt.Errorf("cannot check with %d steps", spec.Steps),
			"give at most %d", schema.ChunkSteps)
	}
	err := t.result.Checks.run(ctx, []check{{"hello", always, t.hello}}, nil)
	if err == nil && t.result.Stages != nil {
		err = t.makeSamples(ctx)
	}
	for _, stage := range programStages {
		if len(x.commands[stage.Name()]) > 0 && err == nil {
			err = t.result.Checks.run(ctx, t.checksOf(stage), nil)
		}
	}
	return t.result, err
}

// stageTest is a check in progress.
type stageTest struct {
	programs  *StagePrograms
	spec      schema.Spec
	samples   []*stageSample // nil if there are none, for want of steps
	collected error          // error of the program that takes the steps, if samples could not be made
	result    StageConformance
}

// hello asks the programs for their declarations, which must be valid in the spec.
func (s *stageTest) hello(ctx context.Context) (Verdict, string, error) {
	var told []string
	spec := s.spec
	for _, stage := range programStages {
		for _, c := range s.programs.commands[stage.Name()] {
			p, err := s.programs.QueryStage(ctx, stage.Name(), c)
			if err != nil {
				return Failed, "", err
			}
			spec.SetStage(stage.Name(), &p)
			told = append(told, stage.Name()+" "+p.String()+describeChoices(p))
		}
	}
	err := replay.CheckSpec(&spec)
	if err == nil {
		s.spec, s.result.Stages = spec, spec.Stages
	}
	return OK, strings.Join(told, "; "), err
}

// describeChoices returns what a stage declares beside its name and version.
func describeChoices(p schema.StageProgram) (text string) {
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		text += fmt.Sprintf(", %s=%s", name, p.Params[name])
	}
	for _, word := range []string{string(p.Learns), string(p.Model), string(p.Input)} {
		if word != "" {
			text += ", " + word
		}
	}
	return text
}

// makeSamples makes the data of the requests. If a program takes the steps, the samples have its steps.
func (s *stageTest) makeSamples(ctx context.Context) (err error) {
	if s.spec.Stages.Of(schema.CollectStage) == nil {
		s.samples, err = newSamples(ctx, s.spec, nil)
		return err
	}
	funcs, err := s.programs.LaunchStages(ctx, s.spec.Stages)
	if err != nil {
		return err
	}
	if s.samples, s.collected = newSamples(ctx, s.spec, pod.CollectStage.Of(funcs)); s.collected == nil {
		s.collected = funcs.Close()
		return ctx.Err()
	}
	_ = funcs.Close()
	if s.samples = nil; s.spec.Env.External == nil { // other stages get built-in steps
		s.samples, err = newSamples(ctx, s.spec, nil)
	}
	return errors.Join(ctx.Err(), err)
}

// checksOf returns the checks of the program of a stage.
func (s *stageTest) checksOf(stage programStage) []check {
	asked := s.listRequests(stage.Name())
	var answers []stageAnswer
	repeated := false
	first := &stageAsker{test: s, stage: stage}
	return []check{
		{stage.Name(), func() bool { return s.samples != nil || stage.Name() == schema.CollectStage && s.collected != nil },
			func(ctx context.Context) (Verdict, string, error) {
				switch {
				case stage.Name() == schema.CollectStage && s.collected != nil:
					return Failed, "", s.collected
				case len(asked) == 0:
					return Absent, "there is nothing to ask: no direction is kept", nil
				}
				var err error
				if answers, _, err = first.askAll(ctx, asked, nil); err != nil {
					_ = first.end()
				}
				return OK, fmt.Sprintf("%d answers, all well-formed and valid", len(answers)), err
			}},
		{stage.Name() + " again", func() bool { return answers != nil },
			func(ctx context.Context) (Verdict, string, error) {
				took, err := first.askAgain(ctx, asked, answers)
				if repeated = err == nil; !repeated {
					return Failed, "", err
				}
				mean := took.Seconds() / float64(len(asked))
				s.result.Seconds[stage.Name()] = mean
				return OK, fmt.Sprintf("the same bits; %.3g ms an answer", 1000*mean), nil
			}},
		{stage.Name() + " in another process", func() bool { return repeated },
			func(ctx context.Context) (Verdict, string, error) {
				other := stageAsker{test: s, stage: stage, reverse: true}
				_, err := other.askAgain(ctx, asked, answers)
				return OK, "the same bits, asked in another order", err
			}},
	}
}

// sampleRequest is one request of a stage: about a sample and, for a learner, one of its purposes.
type sampleRequest struct {
	sample  *stageSample
	purpose int
}

func (s *stageTest) listRequests(stage string) (all []sampleRequest) {
	for _, x := range s.samples {
		if stage != schema.LearnerStage {
			all = append(all, sampleRequest{sample: x})
			continue
		}
		for i := range x.purposes {
			all = append(all, sampleRequest{x, i})
		}
	}
	return all
}

// stageAnswer is a program's answer: the resulting record, and its numbers, to describe a difference.
type stageAnswer struct {
	record  []byte
	numbers []float64
	what    string // of a number
}

// newStageAnswer returns an answer with a record.
func newStageAnswer(what string, numbers []float64, encode func() ([]byte, error)) (a stageAnswer, err error) {
	a = stageAnswer{what: what, numbers: numbers}
	a.record, err = encode()
	return a, err
}

// stageAsker asks one process for one stage.
type stageAsker struct {
	test     *stageTest
	stage    programStage
	reverse  bool
	funcs    *pod.StageFuncs
	learners map[int]learn.OptionLearner // by iteration
}

// askAll makes all requests, and compares the answers with before, unless that is nil.
func (s *stageAsker) askAll(
	ctx context.Context, asked []sampleRequest, before []stageAnswer,
) (answers []stageAnswer, took time.Duration, err error) {
	answers = make([]stageAnswer, len(asked))
	for n := range asked {
		i := n
		if s.reverse {
			i = len(asked) - 1 - n
		}
		if err := s.prepare(ctx, asked[i].sample); err != nil {
			return nil, 0, err
		}
		begun := time.Now()
		if answers[i], err = s.stage.try(ctx, s, asked[i]); err != nil {
			return nil, 0, fmt.Errorf("iteration %d: %w", asked[i].sample.k, err)
		}
		took += time.Since(begun)
		if before != nil {
			if err := s.compare(asked[i], before[i], answers[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	return answers, took, nil
}

// askAgain repeats all requests, compares the answers, and ends the process, which must not have written any other
// output.
func (s *stageAsker) askAgain(ctx context.Context, asked []sampleRequest, before []stageAnswer) (time.Duration, error) {
	_, took, err := s.askAll(ctx, asked, before)
	if ended := s.end(); err == nil {
		err = ended
	}
	return took, err
}

// prepare launches the program for a sample. A program that also measures first gets the earlier requests of the
// iteration.
func (s *stageAsker) prepare(ctx context.Context, x *stageSample) error {
	if s.funcs == nil {
		funcs, err := s.test.programs.LaunchStages(ctx, s.test.spec.Stages)
		if err != nil {
			return err
		}
		s.funcs, s.learners = &funcs, map[int]learn.OptionLearner{}
	}
	if s.stage.Name() != schema.MeasureStage {
		return nil
	}
	mine := s.test.programs.stagesOf(s.test.programs.commands[s.stage.Name()][0].key())
	for _, stage := range programStages {
		if stage.Name() == s.stage.Name() || !slices.Contains(mine, stage.Name()) {
			continue
		}
		for _, r := range s.test.listRequests(stage.Name()) {
			if r.sample != x {
				continue
			}
			if _, err := stage.try(ctx, s, r); err != nil {
				return fmt.Errorf("iteration %d: %w", x.k, err)
			}
		}
	}
	return nil
}

func trySteps(ctx context.Context, collect pod.CollectFunc, _ *stageAsker, r sampleRequest) (stageAnswer, error) {
	chunk, err := r.sample.collect(ctx, collect)
	if err != nil {
		return stageAnswer{}, err
	}
	var actions []float64
	for _, action := range chunk.Actions {
		actions = append(actions, float64(action))
	}
	return newStageAnswer("the action of step", actions, chunk.Encode)
}

func tryDirections(ctx context.Context, method pod.MethodFunc, _ *stageAsker, r sampleRequest) (stageAnswer, error) {
	x := r.sample
	in := pod.MethodInput{Spec: x.spec, K: x.k, Data: x.data, Features: x.env.Features()}
	if x.spec.MethodSeesTransitions() {
		in.Env, in.Transitions = x.env, x.stats.Transitions()
	}
	f, err := pod.FactorExternally(ctx, method, in)
	if err != nil {
		return stageAnswer{}, err
	}
	return newStageAnswer("number", slices.Concat(f.Sigma, f.V), f.Encode)
}

func tryDecisions(ctx context.Context, decide pod.SelectFunc, _ *stageAsker, r sampleRequest) (stageAnswer, error) {
	x := r.sample
	s, err := pod.SelectExternally(ctx, decide, x.spec, x.k, x.options, x.factors, x.stats)
	if err != nil {
		return stageAnswer{}, err
	}
	var numbers []float64
	for _, d := range s.Directions {
		numbers = append(numbers, d.Number)
	}
	return newStageAnswer("the number of direction", numbers, s.Encode)
}

func tryMeasures(ctx context.Context, measure pod.MeasureFunc, _ *stageAsker, r sampleRequest) (stageAnswer, error) {
	x := r.sample
	m, err := pod.MeasureExternally(ctx, measure, pod.MeasureInput{Spec: x.spec, K: x.k, Measures: x.measures})
	if err != nil {
		return stageAnswer{}, err
	}
	return newStageAnswer("measure", nil, m.Encode)
}

// tryLearned learns one of the purposes. All purposes of an iteration use one learner.
func tryLearned(
	ctx context.Context, learn pod.LearnFunc, a *stageAsker, r sampleRequest,
) (answer stageAnswer, err error) {
	x := r.sample
	if a.learners[x.k] == nil {
		if a.learners[x.k], err = pod.NewExternalLearner(x.env, x.spec, x.k, x.experience(), learn); err != nil {
			return answer, err
		}
	}
	o, learned, err := a.learners[x.k].Learn(ctx, x.purposes[r.purpose])
	if err != nil {
		return answer, err
	}
	option, err := o.Encode()
	if err != nil {
		return answer, err
	}
	encode := func() ([]byte, error) { return learned.AppendTo(option) }
	if theta, ok := learned.(schema.Theta); ok {
		return newStageAnswer("weight", theta.Weights, encode)
	}
	values, _ := learned.(schema.Value)
	return newStageAnswer("the value of state", values, encode)
}

// compare returns an error unless two answers to a request have the same bits.
func (s *stageAsker) compare(r sampleRequest, before, now stageAnswer) error {
	if bytes.Equal(before.record, now.record) {
		return nil
	}
	where := ""
	for i, x := range now.numbers {
		if i >= len(before.numbers) || before.numbers[i] != x {
			where = fmt.Sprintf(": %s %d is %v", now.what, i, x)
			if i < len(before.numbers) {
				where += fmt.Sprintf(", and was %v", before.numbers[i])
			}
			break
		}
	}
	return schema.Hint(fmt.Errorf("%s: %w: iteration %d: a repeated request has a different answer%s", s.stage.Name(),
		pod.ErrStageFailed, r.sample.k, where), "an answer may depend on its request alone: draw random numbers from "+
		"spec.seed, k and the purpose, and keep nothing from one request to the next")
}

// end ends the process.
func (s *stageAsker) end() error {
	if s.funcs == nil {
		return nil
	}
	return s.funcs.Close()
}
