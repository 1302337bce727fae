package envserver

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// servedSteps collects the results of steps for an answer.
type servedSteps struct {
	begun         time.Time
	seconds       float64
	actions, ends []byte
	states        []int // of the observations
	rewards       []float64
}

// isOver reports whether the answer is due.
func (s *servedSteps) isOver() bool {
	return s.seconds > 0 && time.Since(s.begun).Seconds() >= s.seconds
}

// takeSteps answers a request for steps with given actions.
func (s *Served) takeSteps(ctx context.Context, r servedRequest) (servedAnswer, error) {
	b := servedSteps{begun: time.Now(), seconds: r.Seconds}
	for _, a := range r.Actions {
		if a < 0 || a >= len(s.env.Actions()) {
			return servedAnswer{}, fmt.Errorf("there is no action %d", a)
		}
	}
	for _, a := range r.Actions {
		if _, err := s.takeStep(ctx, &b, a); err != nil {
			return servedAnswer{}, err
		}
		if b.isOver() {
			break
		}
	}
	b.actions = nil // the client gave them
	return s.answerSteps(&b), nil
}

// takeStep takes a step, and starts the next episode if one ended.
func (s *Served) takeStep(ctx context.Context, b *servedSteps, action int) (ended bool, err error) {
	o, err := s.running.Step(ctx, action)
	if err != nil {
		return false, err
	}
	b.actions, b.ends = append(b.actions, byte(action)), append(b.ends, byte(o.End))
	b.states = append(b.states, o.State)
	if s.reward {
		b.rewards = append(b.rewards, rewardOf(o))
	}
	s.state, s.next = o.State, nil
	if o.End != envs.NotEnded {
		b.states = append(b.states, o.NextStart)
		s.state = o.NextStart
	}
	return o.End != envs.NotEnded, nil
}

// servedPartSteps is the number of steps in a part of an answer.
const servedPartSteps = 100

// cut splits the results after the given number of steps.
func (s *servedSteps) cut(steps int) (first, others servedSteps) {
	first, others = *s, *s
	first.ends, others.ends = s.ends[:steps], s.ends[steps:]
	states := steps
	for _, end := range first.ends {
		if envs.EpisodeEnd(end) != envs.NotEnded {
			states++
		}
	}
	first.states, others.states = s.states[:states], s.states[states:]
	if s.actions != nil {
		first.actions, others.actions = s.actions[:steps], s.actions[steps:]
	}
	if s.rewards != nil {
		first.rewards, others.rewards = s.rewards[:steps], s.rewards[steps:]
	}
	return first, others
}

// answerSteps returns the answer with all steps, in lists or as a payload, or in parts.
func (s *Served) answerSteps(b *servedSteps) servedAnswer {
	if s.parts && len(b.ends) > servedPartSteps {
		first, others := b.cut(servedPartSteps)
		answer, next := s.answerSteps(&first), s.answerSteps(&others)
		answer.members["more"], answer.next = true, &next
		return answer
	}
	if !s.frames {
		observations, ends := make([]any, len(b.states)), make([]int, len(b.ends))
		for i, state := range b.states {
			observations[i] = s.observe(state)
		}
		for i, end := range b.ends {
			ends[i] = int(end)
		}
		members := map[string]any{"observations": observations, "ends": ends}
		if s.reward {
			members["rewards"] = b.rewards
		}
		return servedAnswer{members: members}
	}
	payload := append(b.ends[:len(b.ends):len(b.ends)], b.actions...)
	for _, r := range b.rewards {
		payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(r))
	}
	for _, state := range b.states {
		payload = append(payload, s.pack(state)...)
	}
	return servedAnswer{payload: payload,
		members: map[string]any{"steps": len(b.ends), "bytes": len(payload)}}
}

// servedPolicies has the actions of options: in the observations that the client named, or in all of them as
// weights.
type servedPolicies struct {
	limits  []int64
	rows    map[string][]byte
	size    int         // of an observation, in bytes
	weights [][]float64 // of each option: the tolerance, and the weights of each action
}

func (s *Served) learnOptions(limits []int64, weights string) error {
	s.policies = servedPolicies{limits: limits, rows: map[string][]byte{}, size: len(s.pack(0))}
	if weights == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(weights)
	if err != nil {
		return err
	}
	each := 1 + len(s.env.Actions())*(1+s.policies.size/8)
	numbers := UnpackReals(data)
	if len(numbers) != each*len(limits) {
		return errors.New("weights of other options, actions or features")
	}
	for chunk := range slices.Chunk(numbers, each) {
		s.policies.weights = append(s.policies.weights, chunk)
	}
	return nil
}

// UnpackReals decodes packed numbers.
func UnpackReals(b []byte) (numbers []float64) {
	for ; len(b) >= 8; b = b[8:] {
		numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return numbers
}

// row returns the actions of the options in an observation, and whether they are known.
func (s *servedPolicies) row(observation []byte) ([]byte, bool) {
	if s.weights == nil {
		row, known := s.rows[string(observation)]
		return row, known
	}
	return ActByWeights(s.weights, observation), true
}

// ActByWeights returns the action of each option in an observation, by its tolerance and the weights of each action.
func ActByWeights(weights [][]float64, observation []byte) (row []byte) {
	x := UnpackReals(observation)
	for _, o := range weights {
		var q []float64
		for theta := range slices.Chunk(o[1:], len(x)+1) {
			sum := 0.0
			for i := range x {
				sum += float64(theta[1+i] * x[i])
			}
			q = append(q, sum+theta[0])
		}
		row = append(row, byte(envs.GreedyAction(q, o[0])))
	}
	return row
}

// learn adds observations with a row of actions each.
func (s *servedPolicies) learn(observations, actions string) error {
	keys, err := base64.StdEncoding.DecodeString(observations)
	if err != nil {
		return err
	}
	rows, err := base64.StdEncoding.DecodeString(actions)
	if err != nil {
		return err
	}
	if s.rows == nil || len(keys)%s.size > 0 || len(keys)/s.size*len(s.limits) != len(rows) {
		return errors.New("policies of other options, or observations")
	}
	for n := len(s.limits); len(keys) > 0; keys, rows = keys[s.size:], rows[n:] {
		s.rows[string(keys[:s.size])] = rows[:n]
	}
	return nil
}

// A walker decides as podtrack's agent would, with the draws of a request.
type walker struct {
	policies  *servedPolicies
	actions   int
	chance    uint64
	draws     []byte
	stop      bool
	executing int
	executed  int64
}

// errUnknown means that the client has to decide.
var errUnknown = errors.New("the client has to decide")

// walk answers a request for steps that the program decides.
func (s *Served) walk(ctx context.Context, r servedRequest) (servedAnswer, error) {
	draws, err := base64.StdEncoding.DecodeString(r.Draws)
	if err != nil {
		return servedAnswer{}, err
	}
	if r.Executing == nil || *r.Executing < schema.Primitive || *r.Executing >= len(s.policies.limits) {
		return servedAnswer{}, errors.New("no such option")
	}
	if r.Observations != "" {
		if err := s.policies.learn(r.Observations, r.Policies); err != nil {
			return servedAnswer{}, err
		}
	}
	w := walker{policies: &s.policies, actions: len(s.env.Actions()), chance: r.Chance, draws: draws, stop: r.Stop,
		executing: *r.Executing, executed: r.Executed}
	b := servedSteps{begun: time.Now(), seconds: r.Seconds}
	for len(b.ends) < r.Steps && !b.isOver() {
		action, err := w.decide(s.pack(s.state))
		if errors.Is(err, errUnknown) {
			break
		}
		if err != nil {
			return servedAnswer{}, err
		}
		ended, err := s.takeStep(ctx, &b, action)
		if err != nil {
			return servedAnswer{}, err
		}
		w.after(ended, s.pack(s.state))
	}
	return s.answerSteps(&b), nil
}

// decide returns the action in an observation.
func (w *walker) decide(observation []byte) (int, error) {
	row, known := w.policies.row(observation)
	if !known && w.stop {
		return 0, errUnknown
	}
	if w.executing == schema.Primitive {
		choice, err := w.choose(row)
		if err != nil || choice < w.actions {
			return choice, err
		}
		w.executing, w.executed = nthOption(row, choice-w.actions), 0
	}
	if w.executing >= len(row) || int(row[w.executing]) >= w.actions {
		return 0, errUnknown
	}
	return int(row[w.executing]), nil
}

// choose draws a choice: an action, or the number of actions plus the index of an available option.
func (w *walker) choose(row []byte) (int, error) {
	available := 0
	for _, a := range row {
		if a != noOption {
			available++
		}
	}
	switch {
	case w.chance == 0:
		return w.below(w.actions + available)
	case available > 0:
		x, err := w.draw()
		if err != nil {
			return 0, err
		}
		if x>>11 < w.chance {
			n, err := w.below(available)
			return w.actions + n, err
		}
	}
	return w.below(w.actions)
}

func (w *walker) draw() (uint64, error) {
	if len(w.draws) < 8 {
		return 0, errUnknown
	}
	x := binary.LittleEndian.Uint64(w.draws)
	w.draws = w.draws[8:]
	return x, nil
}

// below returns the high word of the product of a draw and n. It fails if the low word may have to be rejected.
func (w *walker) below(n int) (int, error) {
	x, err := w.draw()
	high, low := bits.Mul64(x, uint64(n))
	if err == nil && low < uint64(n) {
		err = errUnknown
	}
	return int(high), err
}

// nthOption returns the n-th option that has an action, from 0.
func nthOption(row []byte, n int) int {
	for i, a := range row {
		if a == noOption {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return len(row)
}

// after ends the option if the step ended it. In an unknown observation the client decides.
func (w *walker) after(ended bool, observation []byte) {
	if w.executing == schema.Primitive {
		return
	}
	w.executed++
	row, known := w.policies.row(observation)
	if ended || w.executed == w.policies.limits[w.executing] || known && row[w.executing] == noOption ||
		!known && !w.stop {
		w.executing = schema.Primitive
	}
}
