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
	"github.com/podtrack/podtrack/schema"
)

// StageConformance describes the programs of stages after their checks.
type StageConformance struct {
	Stages *schema.Stages `json:"stages"` // as declared, nil if not all of them are
	Checks []CheckResult  `json:"checks"`
	// Seconds is the mean time of an answer, by stage, of those that were measured.
	Seconds map[string]float64 `json:"seconds"`
}

// Conforms reports whether no check failed.
func (c StageConformance) Conforms() bool { return conforms(c.Checks) }

// CheckStages checks the programs of those stages of runs with a spec, of which other stages may be built in. Each is
// asked what it is asked in the first iterations of such a run: twice in one process, and in another one in reverse
// order. After a check that failed it does the others.
func CheckStages(ctx context.Context, x *StagePrograms, spec schema.Spec) (StageConformance, error) {
	t := stageTest{programs: x, spec: spec,
		result: StageConformance{Checks: []CheckResult{}, Seconds: map[string]float64{}}}
	if spec.Steps > schema.ChunkSteps {
		return t.result, schema.Hint(fmt.Errorf("a check with %d steps", spec.Steps), "give at most %d", schema.ChunkSteps)
	}
	t.record("hello", t.hello(ctx))
	if t.result.Stages != nil {
		if err := t.makeSamples(ctx); err != nil {
			return t.result, err
		}
	}
	for _, stage := range schema.ExternalStages() {
		if _, ok := x.commands[stage]; ok {
			t.checkStage(ctx, stage)
		}
	}
	return t.result, ctx.Err()
}

// stageTest is a check in progress.
type stageTest struct {
	programs  *StagePrograms
	spec      schema.Spec
	samples   []*stageSample // nil if there are none, for want of steps
	collected error          // of a program that takes the steps, before the samples
	result    StageConformance
}

// finding is the outcome of a question.
type finding struct {
	verdict Verdict
	found   string
	err     error
}

func (t *stageTest) record(name string, f finding) {
	r := CheckResult{Name: name, Verdict: f.verdict, Found: f.found}
	if f.err != nil {
		r.Verdict, r.Found, r.Remedy, r.Err = Failed, f.err.Error(), schema.Remedy(f.err), f.err
	}
	t.result.Checks = append(t.result.Checks, r)
}

// hello asks the programs what they declare, which must be what the spec can have.
func (t *stageTest) hello(ctx context.Context) finding {
	var told []string
	spec := t.spec
	for _, stage := range schema.ExternalStages() {
		if _, ok := t.programs.commands[stage]; !ok {
			continue
		}
		p, err := t.programs.QueryStage(ctx, stage)
		if err != nil {
			return finding{err: err}
		}
		spec.SetStage(stage, &p)
		told = append(told, stage+" "+p.String()+describeChoices(p))
	}
	err := spec.Validate()
	if err == nil {
		var env pod.Env
		if env, err = pod.NewEnvForSpec(spec); err == nil {
			err = pod.CheckLearner(env, spec)
		}
	}
	if err != nil {
		return finding{err: err}
	}
	t.spec, t.result.Stages = spec, spec.Stages
	return finding{verdict: OK, found: strings.Join(told, "; ")}
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

// makeSamples makes what the stages are asked about. If a program takes the steps, they are its own.
func (t *stageTest) makeSamples(ctx context.Context) (err error) {
	if t.spec.Stages.Of(schema.CollectStage) == nil {
		t.samples, err = newSamples(ctx, t.spec, nil)
		return err
	}
	funcs, err := t.programs.LaunchStages(ctx, t.spec.Stages)
	if err != nil {
		return err
	}
	if t.samples, t.collected = newSamples(ctx, t.spec, funcs.Collect); t.collected == nil {
		t.collected = funcs.Close()
		return ctx.Err()
	}
	_ = funcs.Close()
	if t.samples = nil; t.spec.Env.External == nil { // the other stages are asked about built-in steps
		t.samples, err = newSamples(ctx, t.spec, nil)
	}
	return errors.Join(ctx.Err(), err)
}

// checkStage asks the program of one stage.
func (t *stageTest) checkStage(ctx context.Context, stage string) {
	names := []string{stage, stage + " again", stage + " in another process"}
	fail := func(done int, f finding) {
		for i, name := range names[done:] {
			if i > 0 {
				f = finding{verdict: NotTried}
			}
			t.record(name, f)
		}
	}
	switch {
	case stage == schema.CollectStage && t.collected != nil:
		fail(0, finding{err: t.collected})
		return
	case t.samples == nil:
		fail(0, finding{verdict: NotTried})
		return
	}
	asked := t.listRequests(stage)
	if len(asked) == 0 {
		fail(0, finding{verdict: Absent, found: "there is nothing to ask: no direction is kept"})
		return
	}
	first := stageAsker{test: t, stage: stage}
	answers, _, err := first.askAll(ctx, asked, nil)
	if err != nil {
		_ = first.end()
		fail(0, finding{err: err})
		return
	}
	t.record(names[0], finding{verdict: OK, found: fmt.Sprintf("%d answers, well-formed and within what is asked of them",
		len(answers))})
	_, took, err := first.askAll(ctx, asked, answers)
	if ended := first.end(); err == nil {
		err = ended
	}
	if err != nil {
		fail(1, finding{err: err})
		return
	}
	mean := took.Seconds() / float64(len(asked))
	t.result.Seconds[stage] = mean
	t.record(names[1], finding{verdict: OK, found: fmt.Sprintf("the same bits; %.3g ms an answer", 1000*mean)})
	other := stageAsker{test: t, stage: stage, reverse: true}
	_, _, err = other.askAll(ctx, asked, answers)
	if ended := other.end(); err == nil {
		err = ended
	}
	if err != nil {
		fail(2, finding{err: err})
		return
	}
	t.record(names[2], finding{verdict: OK, found: "the same bits, asked in another order"})
}

// stageRequestOf is one request of a stage: about a sample and, for a learner, one of its purposes.
type stageRequestOf struct {
	sample  *stageSample
	purpose int
}

func (t *stageTest) listRequests(stage string) (all []stageRequestOf) {
	for _, x := range t.samples {
		if stage != schema.LearnerStage {
			all = append(all, stageRequestOf{sample: x})
			continue
		}
		for i := range x.purposes {
			all = append(all, stageRequestOf{x, i})
		}
	}
	return all
}

// stageAnswer is what a program answered: the record that it makes, and its numbers, to tell a difference.
type stageAnswer struct {
	record  []byte
	numbers []float64
	what    string // of a number
}

// stageAsker asks one process for one stage.
type stageAsker struct {
	test     *stageTest
	stage    string
	reverse  bool
	funcs    *pod.StageFuncs
	learners map[int]pod.OptionLearner // by iteration
}

// askAll asks all requests, and compares the answers with those of before, unless these are nil.
func (a *stageAsker) askAll(
	ctx context.Context, asked []stageRequestOf, before []stageAnswer,
) (answers []stageAnswer, took time.Duration, err error) {
	answers = make([]stageAnswer, len(asked))
	for n := range asked {
		i := n
		if a.reverse {
			i = len(asked) - 1 - n
		}
		if err := a.prepare(ctx, asked[i].sample); err != nil {
			return nil, 0, err
		}
		begun := time.Now()
		if answers[i], err = a.ask(ctx, asked[i]); err != nil {
			return nil, 0, fmt.Errorf("iteration %d: %w", asked[i].sample.k, err)
		}
		took += time.Since(begun)
		if before != nil {
			if err := a.compare(asked[i], before[i], answers[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	return answers, took, nil
}

// prepare launches the program, and lets one that measures do before what it does in an iteration.
func (a *stageAsker) prepare(ctx context.Context, x *stageSample) error {
	if a.funcs == nil {
		funcs, err := a.test.programs.LaunchStages(ctx, a.test.spec.Stages)
		if err != nil {
			return err
		}
		a.funcs, a.learners = &funcs, map[int]pod.OptionLearner{}
	}
	if a.stage != schema.MeasureStage {
		return nil
	}
	for _, stage := range schema.ExternalStages() {
		if stage == a.stage || !a.test.programs.haveOneCommand(stage, a.stage) {
			continue
		}
		earlier := stageAsker{test: a.test, stage: stage, funcs: a.funcs, learners: a.learners}
		for _, r := range a.test.listRequests(stage) {
			if r.sample != x {
				continue
			}
			if _, err := earlier.ask(ctx, r); err != nil {
				return fmt.Errorf("iteration %d: %w", x.k, err)
			}
		}
	}
	return nil
}

// haveOneCommand reports whether one program is both stages.
func (x *StagePrograms) haveOneCommand(stage, other string) bool {
	a, ok := x.commands[stage]
	b, also := x.commands[other]
	return ok && also && a.key() == b.key()
}

// ask asks for one answer, which is checked as in a run.
func (a *stageAsker) ask(ctx context.Context, r stageRequestOf) (answer stageAnswer, err error) {
	x := r.sample
	switch a.stage {
	case schema.CollectStage:
		chunk, err := x.collect(ctx, a.funcs.Collect)
		if err != nil {
			return answer, err
		}
		for _, action := range chunk.Actions {
			answer.numbers = append(answer.numbers, float64(action))
		}
		answer.what = "the action of step"
		answer.record, err = chunk.Encode()
		return answer, err
	case schema.MethodStage:
		in := pod.MethodInput{Spec: x.spec, K: x.k, Data: x.data, Features: x.env.Features()}
		if x.spec.MethodSeesTransitions() {
			in.Env, in.Transitions = x.env, x.stats.Transitions()
		}
		f, err := pod.FactorExternally(ctx, a.funcs.Method, in)
		if err != nil {
			return answer, err
		}
		answer.numbers, answer.what = slices.Concat(f.Sigma, f.V), "number"
		answer.record, err = f.Encode()
		return answer, err
	case schema.SelectStage:
		s, err := pod.SelectExternally(ctx, a.funcs.Select, x.spec, x.k, x.options, x.factors, x.stats)
		if err != nil {
			return answer, err
		}
		for _, d := range s.Directions {
			answer.numbers = append(answer.numbers, d.Number)
		}
		answer.what = "the number of direction"
		answer.record, err = s.Encode()
		return answer, err
	case schema.LearnerStage:
		return a.learn(ctx, x, x.purposes[r.purpose])
	}
	m, err := pod.MeasureExternally(ctx, a.funcs.Measure, pod.MeasureInput{Spec: x.spec, K: x.k, Measures: x.measures})
	if err == nil {
		answer.record, err = m.Encode()
	}
	return answer, err
}

func (a *stageAsker) learn(ctx context.Context, x *stageSample, p schema.Purpose) (answer stageAnswer, err error) {
	if a.learners[x.k] == nil {
		if a.learners[x.k], err = pod.NewExternalLearner(x.env, x.spec, x.k, x.experience(), a.funcs.Learn); err != nil {
			return answer, err
		}
	}
	o, learned, err := a.learners[x.k].Learn(ctx, p)
	if err != nil {
		return answer, err
	}
	option, err := o.Encode()
	if err != nil {
		return answer, err
	}
	switch l := learned.(type) {
	case schema.Value:
		answer.numbers, answer.what = slices.Clone(l), "the value of state"
	case schema.Theta:
		answer.numbers, answer.what = slices.Clone(l.Weights), "weight"
	}
	answer.record, err = learned.AppendTo(option)
	return answer, err
}

// compare returns an error unless two answers to a request have the same bits.
func (a *stageAsker) compare(r stageRequestOf, before, now stageAnswer) error {
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
	return schema.Hint(fmt.Errorf("%s: %w: iteration %d: the same request has another answer%s", a.stage,
		pod.ErrStageFailed, r.sample.k, where), "an answer may depend on its request alone: draw random numbers from "+
		"spec.seed, k and the purpose, and keep nothing from one request to the next")
}

// end ends the process. It must not have written anything that was not asked for.
func (a *stageAsker) end() error {
	if a.funcs == nil {
		return nil
	}
	return a.funcs.Close()
}
