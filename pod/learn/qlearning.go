package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// qLearning is linear Q-learning on the recorded stream: the iteration's first chunk,
// replayed in passes, the steps in their order. A step from s by a to s' changes the
// weights of a alone,
//
//	θ_a += α [r + γ v(s') − q(s,a)] φ̃(s) / |φ̃(s)|²,   r = w(s') − w(s),
//
// with v(s') = max(0, max_a q(s',a)), but at most max w − w(s'), which no observed value
// can exceed, and 0 if the step terminated the episode. A step that truncated the episode
// keeps its v(s'). In pass i of P, from 0, α is (P − i) / P: at first a step is learned at
// once, and at last it is averaged. The target of q(s,a) is bounded and never overshot, so
// that learning cannot diverge. It stops after a pass that changes nothing.
//
// The constant is left out of φ̃, with weight 0, if the features add up to the same number
// other than 0 in all observed states, as one-hot features do: then it adds nothing to
// them, and q is a table.
type qLearning struct {
	*linear
	steps []recordedStep
	norm  []float64 // |φ̃|², by the place of a state in seen
	peak  float64   // max w
}

// A recordedStep is a step of the stream; its states are indices of observed.
type recordedStep struct {
	from, to int32
	action   uint8
	over     bool // the episode was terminated
}

func CheckWeights(env envs.Env, spec schema.Spec) error {
	if n := countWeights(env); n > maxWeights {
		return newLearnerError(spec, fmt.Sprintf("which has %d weights", n), AdviceFewerWeights, maxWeights,
			schema.Empirical)
	}
	return nil
}

func newQLearning(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	l := &qLearning{linear: NewLinear(env, spec, seen.Transitions)}
	if l.featuresSumToConstant() {
		l.terms.withoutOne = true
	}
	for place := range l.observed {
		norm, terms := 0.0, l.terms.of(place)
		for i := range terms.Weights {
			norm += float64(terms.Value(i) * terms.Value(i))
		}
		l.norm = append(l.norm, norm)
	}
	if seen.FirstChunk != nil {
		steps, _ := envs.As[envs.SteppableEnv](env)
		envs.VisitChunk(steps, seen.FirstChunk, func(m envs.Transition, _ bool) {
			l.steps = append(l.steps, recordedStep{l.place[m.State], l.place[m.Next], m.Action, m.Terminal})
		})
	}
	return l, nil
}

// featuresSumToConstant reports whether the features add up to the same number other than
// 0 in all observed states.
func (q *qLearning) featuresSumToConstant() bool {
	first := 0.0
	for place := range q.observed {
		sum, terms := 0.0, q.terms.of(place)
		for i := range terms.Weights[:len(terms.Weights)-1] {
			sum += terms.Value(i)
		}
		if place == 0 {
			first = sum
		}
		if sum != first || sum == 0 {
			return false
		}
	}
	return true
}

// Learn implements [OptionLearner].
func (q *qLearning) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	tolerance := q.setPurpose(p)
	theta := schema.NewTheta(len(q.env.Actions()), len(q.env.Features()))
	if q.peak = 0; len(q.observed) > 0 {
		q.peak = q.w[q.peakState()]
	}
	passes, before := q.spec.Sweeps, make([]float64, len(theta.Weights))
	for i := int64(0); i < passes; i++ {
		copy(before, theta.Weights)
		if err := q.runPass(ctx, theta, float64(passes-i)/float64(passes)); err != nil {
			return nil, nil, err
		}
		if slices.Equal(before, theta.Weights) {
			break
		}
	}
	o, err := q.conclude(p, theta, tolerance)
	return o, theta, err
}

// runPass learns from the stream once.
func (q *qLearning) runPass(ctx context.Context, theta schema.Theta, alpha float64) error {
	values := make([]float64, theta.Actions)
	for i, step := range q.steps {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, to := q.observed[step.from], q.observed[step.to]
		target := q.w[to] - q.w[from]
		if !step.over {
			q.q(theta, int(step.to), values)
			v := min(max(0, slices.Max(values)), q.peak-q.w[to])
			target += float64(q.spec.Gamma * v)
		}
		if norm := q.norm[step.from]; norm != 0 { // 0 if all features are
			terms, weights := q.terms.of(int(step.from)), theta.ActionWeights(int(step.action))
			terms.AddTo(weights, float64(alpha*(target-terms.Dot(weights)))/norm)
		}
	}
	return nil
}
