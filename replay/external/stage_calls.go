package external

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// The bounds of a line of a stage's answer: all that is not numbers, and each number that can be asked for.
const (
	stageLineBytes   = 1 << 20
	stageNumberBytes = 64
)

// expect bounds the next answer by how many numbers it may have.
func (p *stageProcess) expect(numbers int) { p.maxLine = stageLineBytes + stageNumberBytes*numbers }

// recorded is the extension of programs that answer from what was recorded elsewhere: requests have nothing to compute
// from, large answers have frames, and one process is asked about many iterations.
const recorded = "recorded"

// startStages starts a program for stages, and asks what it declares about them.
func (c Command) startStages(ctx context.Context, stages []string) (*stageProcess, error) {
	started, err := c.startAs(ctx, pod.ErrStageFailed)
	if err != nil {
		return nil, err
	}
	p := &stageProcess{process: started}
	p.expect(0)
	a, err := p.ask(ctx, struct {
		Do         string   `json:"do"`
		Protocol   int      `json:"protocol"`
		Stages     []string `json:"stages"`
		Extensions []string `json:"extensions"`
	}{"hello", protocol, stages, []string{recorded}})
	if err != nil {
		return nil, err
	}
	for _, extension := range a.Extensions {
		if extension != recorded {
			return nil, p.fail(AdviceStages, "it has the extension %q, which was not offered", truncate(extension))
		}
		p.recorded = true
	}
	if a.Protocol == nil || *a.Protocol != protocol {
		return nil, p.fail(AdviceStages, "it does not speak version %d of the protocol of stages", protocol)
	}
	for _, stage := range stages {
		declared, ok := a.Stages[stage]
		if !ok {
			return nil, p.fail(AdviceStages, "its answer to hello does not declare the stage %s", stage)
		}
		if len(declared.Params) == 0 {
			declared.Params = nil
		}
		if err := schema.CheckStage(stage, declared); err != nil {
			return nil, p.fail("", "%w", err)
		}
		a.Stages[stage] = declared
	}
	for stage := range a.Stages {
		if !slices.Contains(stages, stage) {
			return nil, p.fail(AdviceStages, "it declares the stage %q, which was not asked for", truncate(stage))
		}
	}
	if a.Code != nil {
		p.code = *a.Code
	}
	p.declared = a.Stages
	p.name = a.Stages[stages[0]].Name
	return p, nil
}

// ask sends a request, whose members are those of an object, and reads the answer.
func (p *stageProcess) ask(ctx context.Context, request any) (answer, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return answer{}, err
	}
	return p.request(ctx, string(text[1:len(text)-1]))
}

// stageRequest has the members that every request after hello has.
type stageRequest struct {
	Do   string      `json:"do"`
	K    int         `json:"k"`
	Spec schema.Spec `json:"spec"`
}

// transition is [state, action, next state, count, 1 if the episode ended there].
type transition [5]int64

func listTransitions(counts pod.TransitionCounts) []transition {
	list := make([]transition, len(counts))
	for i, t := range counts {
		list[i] = transition{int64(t.State), int64(t.Action), int64(t.Next), t.Count, 0}
		if t.Terminal {
			list[i][4] = 1
		}
	}
	return list
}

// listFeatures returns φ of all states.
func listFeatures(env pod.Env) [][]float64 {
	phi := make([][]float64, env.States())
	for s := range phi {
		phi[s] = make([]float64, len(env.Features()))
		env.Observe(s, phi[s])
	}
	return phi
}

// factor asks the program for the directions of D, as a [pod.MethodFunc].
func (s *stageSession) factor(ctx context.Context, in pod.MethodInput) (out pod.MethodOutput, err error) {
	p, err := s.open(ctx, schema.MethodStage)
	if err != nil {
		return out, err
	}
	rows := make([][]float64, len(in.Data.Rows))
	for i, row := range in.Data.Rows {
		rows[i] = row.Dense(in.Data.Dims)
	}
	request := struct {
		stageRequest
		Features    []string     `json:"features"`
		Rows        [][]float64  `json:"rows"`
		Counts      []int64      `json:"counts"`
		States      [][]float64  `json:"states,omitempty"`
		Transitions []transition `json:"transitions,omitempty"`
	}{stageRequest: stageRequest{"method", in.K, in.Spec}, Features: in.Features, Rows: rows, Counts: in.Data.Counts}
	if p.recorded {
		request.Rows, request.Counts, in.Env = [][]float64{}, []int64{}, nil
		p.maxPayload = 8 * in.Data.Dims * in.Data.Dims
	}
	if in.Env != nil {
		request.States, request.Transitions = listFeatures(in.Env), listTransitions(in.Transitions)
	}
	p.expect(in.Data.Dims * (in.Data.Dims + 1))
	a, err := p.ask(ctx, request)
	if err == nil && a.payload != nil {
		a.Vectors = splitFloats(a.payload, in.Data.Dims)
	}
	if err == nil && (a.Sigma == nil || a.Vectors == nil) {
		err = p.fail(AdviceStages, "its answer to method lacks sigma or vectors")
	}
	return pod.MethodOutput{Sigma: a.Sigma, Vectors: a.Vectors}, err
}

// stagePurpose is a purpose of an option.
type stagePurpose struct {
	Number int       `json:"number"`
	J      int       `json:"j"`
	Sign   int       `json:"sign"`
	Sigma  float64   `json:"sigma"`
	Vector []float64 `json:"vector"`
}

// choose asks the program which directions become purposes, as a [pod.SelectFunc].
func (s *stageSession) choose(ctx context.Context, in pod.SelectInput) ([]schema.Direction, error) {
	p, err := s.open(ctx, schema.SelectStage)
	if err != nil {
		return nil, err
	}
	request := struct {
		stageRequest
		Rows    int64          `json:"rows"`
		Sigma   []float64      `json:"sigma"`
		Vectors [][]float64    `json:"vectors"`
		Signs   []schema.Sign  `json:"signs,omitempty"`
		Options []stagePurpose `json:"options"`
	}{stageRequest: stageRequest{"select", in.K, in.Spec}, Rows: in.Factors.Total, Sigma: []float64{},
		Vectors: [][]float64{}, Options: []stagePurpose{}}
	directions := pod.NewDirections(in.Spec, in.K, in.Factors)
	for j, d := range in.Directions {
		request.Sigma = append(request.Sigma, d.Sigma)
		if !p.recorded {
			request.Vectors = append(request.Vectors, directions.Vector(j))
		}
		if d.Sign != schema.BothSigns {
			request.Signs = append(request.Signs, d.Sign)
		}
	}
	for i, o := range in.Options.Options {
		if slot := uint64(in.Options.First + i); !p.recorded && !slices.Contains(in.Options.LeaveOut, slot) {
			e := o.Purpose
			request.Options = append(request.Options, stagePurpose{int(slot), e.J, e.Sign, e.Sigma, e.Vector})
		}
	}
	p.expect(5 * len(in.Directions))
	a, err := p.ask(ctx, request)
	if err != nil {
		return nil, err
	}
	directed, err := a.decide(in.Directions)
	if err != nil {
		return nil, p.fail(AdviceStages, "its answer to select %w", err)
	}
	return directed, nil
}

// decide returns the directions with the decisions of an answer to select.
func (a answer) decide(directions []schema.Direction) ([]schema.Direction, error) {
	n := len(directions)
	if a.Keep == nil || len(a.Keep) != n {
		return nil, fmt.Errorf("has keep for %d directions, of %d", len(a.Keep), n)
	}
	for name, length := range map[string]int{
		"reasons": len(a.Reasons), "numbers": len(a.Numbers), "nearest": len(a.Nearest), "signs": len(a.Signs),
	} {
		if length != 0 && length != n {
			return nil, fmt.Errorf("has %s for %d directions, of %d", name, length, n)
		}
	}
	for i := range directions {
		d := &directions[i]
		if a.Reasons != nil {
			reason, ok := schema.ParseReason(a.Reasons[i])
			if !ok {
				return nil, fmt.Errorf("has the reason %q", truncate(a.Reasons[i]))
			}
			d.Reason = reason
		}
		switch {
		case a.Keep[i]:
			d.Reason = schema.Kept
		case d.Reason == schema.Kept:
			d.Reason = schema.Declined
		}
		if a.Numbers != nil {
			d.Number = a.Numbers[i]
		}
		if a.Nearest != nil {
			d.Nearest = a.Nearest[i]
		}
		if a.Signs != nil {
			d.Sign = a.Signs[i]
		}
	}
	return directions, nil
}

// learn asks the program for the values or weights of a purpose, as a [pod.LearnFunc].
func (s *stageSession) learn(ctx context.Context, in pod.LearnInput) (schema.ValueFunction, error) {
	p, err := s.open(ctx, schema.LearnerStage)
	if err != nil {
		return nil, err
	}
	e := in.Purpose
	request := struct {
		stageRequest
		Purpose   stagePurpose `json:"purpose"`
		W         []float64    `json:"w,omitempty"`
		States    int          `json:"states,omitempty"` // in place of w
		Tolerance float64      `json:"tolerance"`
	}{stageRequest{"learn", in.K, in.Spec}, stagePurpose{-1, e.J, e.Sign, e.Sigma, e.Vector}, in.W, 0, in.Tolerance}
	switch {
	case p.recorded:
		request.Purpose.Vector, request.W, request.States = []float64{}, nil, in.Model.States
	case p.model != in.Model:
		if err := p.tellModel(ctx, in); err != nil {
			return nil, err
		}
	}
	width := len(in.Model.Env.Features()) + 1
	p.expect(2*in.Model.States + in.Model.Actions*width)
	p.maxPayload = floatBytes * max(in.Model.States, in.Model.Actions*width)
	a, err := p.ask(ctx, request)
	if err != nil {
		return nil, err
	}
	learned, err := p.readLearned(in, a)
	if err == nil && a.Policy != nil {
		learned = pod.ClaimedPolicy{ValueFunction: learned, Policy: a.Policy}
	}
	return learned, err
}

// splitFloats returns the numbers of a payload, in rows of n; nil if it has no whole rows.
func splitFloats(payload []byte, n int) [][]float64 {
	if n == 0 || len(payload)%(8*n) != 0 {
		return nil
	}
	rows := make([][]float64, 0, len(payload)/(8*n))
	for len(payload) > 0 {
		row := make([]float64, n)
		for i := range row {
			row[i] = math.Float64frombits(binary.LittleEndian.Uint64(payload[8*i:]))
		}
		rows, payload = append(rows, row), payload[8*n:]
	}
	return rows
}

// readLearned returns the values or weights in an answer to learn.
func (p *stageProcess) readLearned(in pod.LearnInput, a answer) (schema.ValueFunction, error) {
	if a.payload != nil {
		return p.readLearnedFrame(in, a.payload)
	}
	switch {
	case in.Spec.IsLinear() && a.Weights == nil, !in.Spec.IsLinear() && a.Values == nil:
		return nil, p.fail(AdviceStages, "its answer to learn lacks the %s that it declares",
			p.declared[schema.LearnerStage].Learns)
	case !in.Spec.IsLinear():
		return schema.Value(a.Values), nil
	}
	theta := schema.Theta{Actions: len(a.Weights)}
	for i, row := range a.Weights {
		if i > 0 && len(row) != theta.Width {
			return nil, p.fail(AdviceStages, "weights of %d and %d numbers in one answer", theta.Width, len(row))
		}
		theta.Width, theta.Weights = len(row), append(theta.Weights, row...)
	}
	return theta, nil
}

// floatBytes is the size of a number in a payload.
const floatBytes = 8

// readLearnedFrame returns the values or weights in the payload of an answer to learn.
func (p *stageProcess) readLearnedFrame(in pod.LearnInput, payload []byte) (schema.ValueFunction, error) {
	want, width := in.Model.States, len(in.Model.Env.Features())+1
	if in.Spec.IsLinear() {
		want = in.Model.Actions * width
	}
	if len(payload) != floatBytes*want {
		return nil, p.fail(AdviceStages, "its answer to learn has a payload of %d bytes, where %d numbers have %d",
			len(payload), want, floatBytes*want)
	}
	numbers := make([]float64, want)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(payload[floatBytes*i:]))
	}
	if in.Spec.IsLinear() {
		return schema.Theta{Actions: in.Model.Actions, Width: width, Weights: numbers}, nil
	}
	return schema.Value(numbers), nil
}

// measure asks the program for its measures of the iteration, as a [pod.MeasureFunc].
func (s *stageSession) measure(ctx context.Context, in pod.MeasureInput) (schema.ExternalMeasures, error) {
	p, err := s.open(ctx, schema.MeasureStage)
	if err != nil {
		return nil, err
	}
	a, err := p.ask(ctx, struct {
		stageRequest
		Measures schema.Measures `json:"measures"`
	}{stageRequest{"measure", in.K, in.Spec}, in.Measures})
	if err == nil && a.Measures == nil {
		err = p.fail(AdviceStages, "its answer to measure lacks measures")
	}
	return a.Measures, err
}

// tellModel sends the program the model that it learns on from now on.
func (p *stageProcess) tellModel(ctx context.Context, in pod.LearnInput) error {
	request := struct {
		stageRequest
		States      int          `json:"states"`
		Actions     int          `json:"actions"`
		Transitions []transition `json:"transitions"`
		Features    [][]float64  `json:"features,omitempty"`
	}{stageRequest: stageRequest{"model", in.K, in.Spec}, States: in.Model.States, Actions: in.Model.Actions,
		Transitions: listTransitions(in.Model.Transitions)}
	if in.Spec.IsLinear() {
		request.Features = listFeatures(in.Model.Env)
	}
	_, err := p.ask(ctx, request)
	if err == nil {
		p.model = in.Model
	}
	return err
}
