package envserver

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

const partSteps = 100

// A batch holds the results of steps that are not yet sent.
type batch struct {
	actions, ends []byte
	states        []int // of the observations
	rewards       []float64
}

func (s *server) takeGiven(r request) error {
	at := 0
	return s.take(r, len(r.Actions), true, func(bool) (int, bool) { at++; return r.Actions[at-1], true })
}

// take takes up to n steps, in so much time as the request allows, and sends the results. next returns the action of
// each, given whether the one before ended an episode; ok is false if the client has to decide. The client knows the
// actions that it gave.
func (s *server) take(r request, n int, given bool, next func(ended bool) (action int, ok bool)) error {
	begun, ended := time.Now(), false
	var b batch
	for i := range n {
		if i > 0 && r.Seconds > 0 && time.Since(begun).Seconds() >= r.Seconds {
			break
		}
		action, ok := next(ended)
		if !ok {
			break
		}
		if s.parts && len(b.ends) == partSteps {
			s.sendSteps(r, b, true)
			b = batch{}
		}
		o, err := s.running.Step(context.Background(), action)
		if err != nil {
			return err
		}
		b.ends, b.states, b.rewards = append(b.ends, byte(o.End)), append(b.states, o.State), append(b.rewards, rewardOf(o))
		if !given {
			b.actions = append(b.actions, byte(action))
		}
		s.state, s.next, ended = o.State, nil, o.End != envs.NotEnded
		if ended {
			s.state = o.NextStart
			b.states = append(b.states, s.state)
		}
	}
	s.sendSteps(r, b, false)
	return nil
}

// sendSteps sends steps, in lists or as a payload. It says whether more follow.
func (s *server) sendSteps(r request, b batch, more bool) {
	if !s.reward {
		b.rewards = nil
	}
	if !s.frames {
		observations, ends := []any{}, []int{}
		for _, state := range b.states {
			observations = append(observations, s.observe(state))
		}
		for _, end := range b.ends {
			ends = append(ends, int(end))
		}
		members := map[string]any{"observations": observations, "ends": ends}
		if s.reward {
			members["rewards"] = b.rewards
		}
		s.send(r, members, nil)
		return
	}
	payload := slices.Concat(b.ends, b.actions)
	for _, x := range b.rewards {
		payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(x))
	}
	for _, state := range b.states {
		payload = append(payload, s.packed[state]...)
	}
	members := map[string]any{"steps": len(b.ends), "bytes": len(payload)}
	if more {
		members["more"] = true
	}
	s.send(r, members, payload)
}

// policies has the actions of options: in the observations that the client named, or in all of them as weights.
type policies struct {
	limits  []int64
	rows    map[string][]byte
	size    int         // of an observation, in bytes
	weights [][]float64 // of each option: the tolerance, and the weights of each action
}

func (s *server) learnOptions(r request) error {
	s.policies = policies{limits: r.Limits, rows: map[string][]byte{}, size: len(s.packed[0])}
	if len(r.Weights) == 0 {
		return nil
	}
	each := 1 + len(s.env.Actions())*(1+s.policies.size/8)
	numbers := UnpackReals(r.Weights)
	if len(numbers) != each*len(r.Limits) {
		return errors.New("weights of other options, actions or features")
	}
	s.policies.weights = slices.Collect(slices.Chunk(numbers, each))
	return nil
}

// UnpackReals decodes packed numbers.
func UnpackReals(b []byte) (numbers []float64) {
	for ; len(b) >= 8; b = b[8:] {
		numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return numbers
}

func (p *policies) has(option int) bool { return option >= schema.Primitive && option < len(p.limits) }

// row returns the actions of the options in an observation, and whether they are known.
func (p *policies) row(observation []byte) (row []byte, known bool) {
	if p.weights != nil {
		return ActByWeights(p.weights, observation), true
	}
	row, known = p.rows[string(observation)]
	return row, known
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
func (p *policies) learn(r request) error {
	keys, rows, n := r.Observations, r.Policies, len(p.limits)
	if p.rows == nil || len(keys)%p.size > 0 || len(keys)/p.size*n != len(rows) {
		return errors.New("policies of other options, or observations")
	}
	for ; len(keys) > 0; keys, rows = keys[p.size:], rows[n:] {
		p.rows[string(keys[:p.size])] = rows[:n]
	}
	return nil
}

// A walker decides as podtrack's agent would, with the draws of a request.
type walker struct {
	request
	policies  *policies
	actions   int
	begun     bool // a step was decided
	executing int
	executed  int64
}

// walk answers a request for steps that the program decides.
func (s *server) walk(r request) error {
	if len(r.Observations) > 0 {
		if err := s.policies.learn(r); err != nil {
			return err
		}
	}
	w := walker{request: r, policies: &s.policies, actions: len(s.env.Actions()), executing: *r.Executing,
		executed: r.Executed}
	return s.take(r, r.Steps, false, func(ended bool) (int, bool) { return w.decide(s.packed[s.state], ended) })
}

// noOption stands for the action of an option that cannot start in an observation.
const noOption = schema.Terminate + 1<<8

// decide returns the action in an observation; ok is false if the client has to decide.
func (w *walker) decide(observation []byte, ended bool) (action int, ok bool) {
	row, known := w.policies.row(observation)
	if w.begun && w.executing != schema.Primitive {
		w.executed++
		if ended || w.executed == w.policies.limits[w.executing] || known && row[w.executing] == noOption ||
			!known && !w.Stop {
			w.executing = schema.Primitive
		}
	}
	w.begun = true
	if !known && w.Stop {
		return 0, false
	}
	if w.executing == schema.Primitive {
		choice, ok := w.choose(row)
		if !ok || choice < w.actions {
			return choice, ok
		}
		w.executing, w.executed = choice-w.actions, 0
	}
	if w.executing >= len(row) || int(row[w.executing]) >= w.actions {
		return 0, false
	}
	return int(row[w.executing]), true
}

// choose draws a choice: an action, or the number of actions plus that of an available option.
func (w *walker) choose(row []byte) (choice int, ok bool) {
	all := make([]int, 0, w.actions+len(row))
	for a := range w.actions {
		all = append(all, a)
	}
	for i, a := range row {
		if a != noOption {
			all = append(all, w.actions+i)
		}
	}
	if w.Chance > 0 {
		options := all[w.actions:]
		all = all[:w.actions]
		if len(options) > 0 {
			x, ok := w.draw()
			if !ok {
				return 0, false
			}
			if x>>11 < w.Chance {
				all = options
			}
		}
	}
	// the high word of the product with a draw; if the low word may have to be rejected, the client decides
	x, ok := w.draw()
	high, low := bits.Mul64(x, uint64(len(all)))
	if !ok || low < uint64(len(all)) {
		return 0, false
	}
	return all[high], true
}

func (w *walker) draw() (x uint64, ok bool) {
	if len(w.Draws) < 8 {
		return 0, false
	}
	x = binary.LittleEndian.Uint64(w.Draws)
	w.Draws = w.Draws[8:]
	return x, true
}
