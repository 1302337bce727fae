package external

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// programStages are the stages that programs can be, by name: each adds a function that asks a session's program.
var programStages = map[string]func(*stageSession, *pod.StageFuncs){
	schema.CollectStage: asked(pod.CollectStage, "collect", requestSteps, readSteps),
	schema.MethodStage:  asked(pod.MethodStage, "method", requestDirections, readDirections),
	schema.SelectStage:  asked(pod.SelectStage, "select", requestDecisions, readDecisions),
	schema.LearnerStage: asked(pod.LearnerStage, "learn", requestLearned, readLearned),
	schema.MeasureStage: asked(pod.MeasureStage, "measure", requestMeasures, readMeasures),
}

// asked returns how a program is asked for a stage. request returns a request to do it, and bounds the answer; read
// returns the contents of the answer. The text of its error continues "its answer to …".
func asked[In, Out any](
	stage pod.Stage[In, Out], do string, request func(context.Context, *stageProcess, In) (object, error),
	read func(*stageProcess, In, answer) (Out, error),
) func(*stageSession, *pod.StageFuncs) {
	return func(session *stageSession, funcs *pod.StageFuncs) {
		stage.Put(funcs, func(ctx context.Context, in In) (out Out, err error) {
			p, err := session.open(ctx, stage.Name())
			if err != nil {
				return out, err
			}
			p.expect(0, 0)
			wanted, err := request(ctx, p, in)
			if err != nil {
				return out, err
			}
			a, err := p.ask(ctx, wanted)
			if err != nil {
				return out, err
			}
			if out, err = read(p, in, a); err != nil && !errors.Is(err, pod.ErrCollectedAll) {
				err = p.fail(AdviceStages, "its answer to %s %w", do, err)
			}
			return out, err
		})
	}
}

// newRequest returns the members that every request after hello has.
func newRequest(do string, k int, spec schema.Spec) object {
	return object{"do", do, "k", k, "spec", spec}
}

// transition is [state, action, next state, count, 1 if the episode ended there].
type transition [5]int64

func listTransitions(counts envs.TransitionCounts) []transition {
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
func listFeatures(env envs.Env) [][]float64 {
	phi := make([][]float64, env.States())
	for s := range phi {
		phi[s] = make([]float64, len(env.Features()))
		env.Observe(s, phi[s])
	}
	return phi
}

// requestDirections asks for the directions of D.
func requestDirections(_ context.Context, p *stageProcess, in pod.MethodInput) (object, error) {
	p.expect(in.Data.Dims*(in.Data.Dims+1), 0)
	data, rows, counts := in.Data, [][]float64{}, []int64{}
	if p.recorded {
		p.expect(data.Dims*(data.Dims+1), floatBytes*data.Dims*data.Dims)
		data = linalg.Dataset{}
	}
	for _, row := range data.Rows {
		rows = append(rows, row.Dense(data.Dims))
	}
	counts = append(counts, data.Counts...)
	request := append(newRequest("method", in.K, in.Spec), "features", in.Features, "rows", rows, "counts", counts)
	if in.Env != nil && !p.recorded {
		request = append(request, "states", listFeatures(in.Env), "transitions", listTransitions(in.Transitions))
	}
	return request, nil
}

func readDirections(_ *stageProcess, in pod.MethodInput, a answer) (pod.MethodOutput, error) {
	if a.payload != nil {
		a.Vectors = splitFloats(a.payload, in.Data.Dims)
	}
	if a.Sigma == nil || a.Vectors == nil {
		return pod.MethodOutput{}, errors.New("lacks sigma or vectors")
	}
	return pod.MethodOutput{Sigma: a.Sigma, Vectors: a.Vectors}, nil
}

// stagePurpose is a purpose of an option.
type stagePurpose struct {
	Number int       `json:"number"`
	J      int       `json:"j"`
	Sign   int       `json:"sign"`
	Sigma  float64   `json:"sigma"`
	Vector []float64 `json:"vector"`
}

func newStagePurpose(number int, e schema.Purpose) stagePurpose {
	return stagePurpose{number, e.J, e.Sign, e.Sigma, e.Vector}
}

// requestDecisions asks which directions become purposes.
func requestDecisions(_ context.Context, p *stageProcess, in pod.SelectInput) (object, error) {
	sigma, vectors, signs, options := []float64{}, [][]float64{}, []schema.Sign{}, []stagePurpose{}
	directions := selection.NewDirections(in.Spec, in.K, in.Factors)
	for j, d := range in.Directions {
		sigma = append(sigma, d.Sigma)
		if !p.recorded {
			vectors = append(vectors, directions.Vector(j))
		}
		if d.Sign != schema.BothSigns {
			signs = append(signs, d.Sign)
		}
	}
	for i, o := range in.Options.Options {
		if slot := uint64(in.Options.First + i); !p.recorded && !slices.Contains(in.Options.LeaveOut, slot) {
			options = append(options, newStagePurpose(int(slot), o.Purpose))
		}
	}
	request := append(newRequest("select", in.K, in.Spec), "rows", in.Factors.Total, "sigma", sigma, "vectors", vectors)
	if len(signs) > 0 {
		request = append(request, "signs", signs)
	}
	p.expect(5*len(in.Directions), 0)
	return append(request, "options", options), nil
}

// readDecisions returns the directions with the decisions of an answer.
func readDecisions(_ *stageProcess, in pod.SelectInput, a answer) ([]schema.Direction, error) {
	directions := in.Directions
	n := len(directions)
	if a.Keep == nil || len(a.Keep) != n {
		return nil, fmt.Errorf("has keep for %d of %d directions", len(a.Keep), n)
	}
	for name, length := range map[string]int{
		"reasons": len(a.Reasons), "numbers": len(a.Numbers), "nearest": len(a.Nearest), "signs": len(a.Signs),
	} {
		if length != 0 && length != n {
			return nil, fmt.Errorf("has %s for %d of %d directions", name, length, n)
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

// requestLearned asks for the values or weights of a purpose. It first sends the program the model to learn on, unless
// that was already sent.
func requestLearned(ctx context.Context, p *stageProcess, in pod.LearnInput) (object, error) {
	purpose, rewards := newStagePurpose(-1, in.Purpose), object{"w", in.W}
	switch {
	case p.recorded:
		purpose.Vector, rewards = []float64{}, object{"states", in.Model.States}
	case p.model != in.Model:
		if err := p.tellModel(ctx, in); err != nil {
			return nil, err
		}
	}
	width := len(in.Model.Env.Features()) + 1
	p.expect(2*in.Model.States+in.Model.Actions*width, floatBytes*max(in.Model.States, in.Model.Actions*width))
	request := append(newRequest("learn", in.K, in.Spec), "purpose", purpose)
	return append(append(request, rewards...), "tolerance", in.Tolerance), nil
}

// splitFloats returns the numbers of a payload, in rows of n; nil if it has no whole rows.
func splitFloats(payload []byte, n int) [][]float64 {
	if n == 0 || len(payload)%(floatBytes*n) != 0 {
		return nil
	}
	rows := make([][]float64, 0, len(payload)/(floatBytes*n))
	for len(payload) > 0 {
		row := make([]float64, n)
		for i := range row {
			row[i] = math.Float64frombits(binary.LittleEndian.Uint64(payload[floatBytes*i:]))
		}
		rows, payload = append(rows, row), payload[floatBytes*n:]
	}
	return rows
}

// readLearned returns the values or weights in an answer, with the policy that the program has from them.
func readLearned(p *stageProcess, in pod.LearnInput, a answer) (learned schema.ValueFunction, err error) {
	linear, rows, width := in.Spec.IsLinear(), 1, in.Model.States
	if linear {
		rows, width = in.Model.Actions, len(in.Model.Env.Features())+1
	}
	if a.payload != nil {
		if n := rows * width; len(a.payload) != floatBytes*n {
			return nil, fmt.Errorf("has a payload of %d bytes; %d numbers take %d", len(a.payload), n, floatBytes*n)
		}
		a.Weights = splitFloats(a.payload, width)
		a.Values = a.Weights[0]
	}
	switch {
	case linear && a.Weights == nil, !linear && a.Values == nil:
		return nil, fmt.Errorf("lacks the %s that it declares", p.declared[schema.LearnerStage].Learns)
	case linear:
		learned, err = readWeights(a.Weights)
	default:
		learned = schema.Value(a.Values)
	}
	if err == nil && a.Policy != nil {
		learned = pod.ClaimedPolicy{ValueFunction: learned, Policy: a.Policy}
	}
	return learned, err
}

// readWeights returns weights of which each action has a row.
func readWeights(rows [][]float64) (schema.ValueFunction, error) {
	theta := schema.Theta{Actions: len(rows)}
	for i, row := range rows {
		if i > 0 && len(row) != theta.Width {
			return nil, fmt.Errorf("has rows of different lengths, %d and %d weights", theta.Width, len(row))
		}
		theta.Width, theta.Weights = len(row), append(theta.Weights, row...)
	}
	return theta, nil
}

// floatBytes is the size of a number in a payload.
const floatBytes = 8

// requestMeasures asks for the program's measures of an iteration.
func requestMeasures(_ context.Context, _ *stageProcess, in pod.MeasureInput) (object, error) {
	return append(newRequest("measure", in.K, in.Spec), "measures", in.Measures), nil
}

func readMeasures(_ *stageProcess, _ pod.MeasureInput, a answer) (schema.ExternalMeasures, error) {
	if a.Measures == nil {
		return nil, errors.New("lacks measures")
	}
	return a.Measures, nil
}

// tellModel sends the program the model that it learns on from now on.
func (s *stageProcess) tellModel(ctx context.Context, in pod.LearnInput) error {
	request := append(newRequest("model", in.K, in.Spec), "states", in.Model.States, "actions", in.Model.Actions,
		"transitions", listTransitions(in.Model.Transitions))
	if in.Spec.IsLinear() {
		request = append(request, "features", listFeatures(in.Model.Env))
	}
	_, err := s.ask(ctx, request)
	if err == nil {
		s.model = in.Model
	}
	return err
}
