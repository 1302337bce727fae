package replay_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/envserver"
	"github.com/podtrack/podtrack/schema/wire"
)

// extensions adds all extensions of the protocol to a server.
type extensions struct {
	*envserver.Server
	packed   [][]byte // observations by state
	frames   bool     // answers to steps have a payload
	parts    bool     // of up to partSteps steps each
	policies servedPolicies
}

// An extendedRequest is a line of the client with what extensions add.
type extendedRequest struct {
	ID      uint64  `json:"id"`
	Do      string  `json:"do"`
	Seconds float64 `json:"seconds"`

	Actions   []int  `json:"actions"` // of steps
	Steps     int    `json:"steps"`   // of walk
	Draws     []byte `json:"draws"`
	Chance    uint64 `json:"chance"`
	Executing *int   `json:"executing"`
	Executed  int64  `json:"executed"`
	Stop      bool   `json:"stop"`

	Limits       []int64 `json:"limits"` // of options
	Weights      []byte  `json:"weights"`
	Observations []byte  `json:"observations"` // of policies
	Policies     []byte  `json:"policies"`
}

// newExtensions returns the extensions of a server.
func newExtensions(s *envserver.Server) *extensions {
	e := &extensions{Server: s}
	for _, row := range s.Rows {
		e.packed = append(e.packed, e.pack(row))
	}
	return e
}

// Use implements [envserver.Extensions].
func (e *extensions) Use(offered []string) (used []string) {
	used = slices.DeleteFunc(offered, func(name string) bool { return name == "weights" && e.Kind != schema.Real })
	e.frames, e.parts = slices.Contains(used, "frames"), slices.Contains(used, "parts")
	return used
}

// Answer implements [envserver.Extensions].
func (e *extensions) Answer(line []byte) (err error) {
	var r extendedRequest
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	switch {
	case r.Do == "options":
		err = e.learnOptions(r)
	case r.Do == "policies":
		err = e.policies.learn(r)
	case e.Running == nil:
		err = errors.New("reset comes first")
	case r.Do == "steps" && !slices.ContainsFunc(r.Actions, func(a int) bool { return !e.HasAction(a) }):
		return e.takeGiven(r)
	case r.Do == "walk" && r.Executing != nil && e.policies.has(*r.Executing):
		return e.walk(r)
	default:
		err = fmt.Errorf("cannot do %q with these members", r.Do)
	}
	if err == nil {
		e.Send(r.ID, map[string]any{}, nil)
	}
	return err
}

// pack returns an observation as bytes.
func (e *extensions) pack(row []float64) []byte {
	switch e.Kind {
	case schema.Discrete:
		return binary.LittleEndian.AppendUint32(nil, uint32(slices.Index(row, 1)))
	case schema.Binary:
		bits := make([]uint8, len(row))
		for i, x := range row {
			bits[i] = uint8(x)
		}
		return envs.AppendBinaryObservation(nil, bits)
	}
	return envs.AppendRealObservation(nil, row)
}

// partSteps is the number of steps in a part of an answer.
const partSteps = 100

// A servedSteps has the results of steps that are not yet sent.
type servedSteps struct {
	actions, ends []byte
	states        []int // of the observations
	rewards       []float64
}

// takeGiven answers a request for steps with given actions.
func (e *extensions) takeGiven(r extendedRequest) error {
	at := 0
	return e.take(r, len(r.Actions), true, func(bool) (int, bool) { at++; return r.Actions[at-1], true })
}

// take takes up to n steps, in so much time as the request allows, and sends the results. next returns the action of
// each, given whether the one before ended an episode; ok is false if the client has to decide. The client knows the
// actions that it gave.
func (e *extensions) take(r extendedRequest, n int, given bool, next func(ended bool) (action int, ok bool)) error {
	begun, ended := time.Now(), false
	var b servedSteps
	for i := range n {
		if i > 0 && r.Seconds > 0 && time.Since(begun).Seconds() >= r.Seconds {
			break
		}
		action, ok := next(ended)
		if !ok {
			break
		}
		if e.parts && len(b.ends) == partSteps {
			e.sendSteps(r, b, true)
			b = servedSteps{}
		}
		o, err := e.Running.Step(context.Background(), action)
		if err != nil {
			return err
		}
		b.ends, b.states = append(b.ends, byte(o.End)), append(b.states, o.State)
		b.rewards = append(b.rewards, envserver.RewardOf(o))
		if !given {
			b.actions = append(b.actions, byte(action))
		}
		e.State, e.Next, ended = o.State, nil, o.End != envs.NotEnded
		if ended {
			e.State = o.NextStart
			b.states = append(b.states, e.State)
		}
	}
	e.sendSteps(r, b, false)
	return nil
}

// sendSteps sends steps, in lists or as a payload. It says whether more follow.
func (e *extensions) sendSteps(r extendedRequest, b servedSteps, more bool) {
	if !e.Reward {
		b.rewards = nil
	}
	if !e.frames {
		observations, ends := []any{}, []int{}
		for _, state := range b.states {
			observations = append(observations, e.Observe(state))
		}
		for _, end := range b.ends {
			ends = append(ends, int(end))
		}
		members := map[string]any{"observations": observations, "ends": ends}
		if e.Reward {
			members["rewards"] = b.rewards
		}
		e.Send(r.ID, members, nil)
		return
	}
	payload := slices.Concat(b.ends, b.actions)
	for _, x := range b.rewards {
		payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(x))
	}
	for _, state := range b.states {
		payload = append(payload, e.packed[state]...)
	}
	members := map[string]any{"steps": len(b.ends), "bytes": len(payload)}
	if more {
		members["more"] = true
	}
	e.Send(r.ID, members, payload)
}

// policies has the actions of options: in the observations that the client named, or in all of them as weights.
type servedPolicies struct {
	limits  []int64
	rows    map[string][]byte
	size    int         // of an observation, in bytes
	weights [][]float64 // of each option: the tolerance, and the weights of each action
}

func (e *extensions) learnOptions(r extendedRequest) error {
	e.policies = servedPolicies{limits: r.Limits, rows: map[string][]byte{}, size: len(e.packed[0])}
	if len(r.Weights) == 0 {
		return nil
	}
	each := 1 + len(e.Env.Actions())*(1+e.policies.size/8)
	numbers := wire.DecodeFloats(r.Weights)
	if len(numbers) != each*len(r.Limits) {
		return errors.New("weights of other options, actions or features")
	}
	e.policies.weights = slices.Collect(slices.Chunk(numbers, each))
	return nil
}

// has reports whether there is such an option; [schema.Primitive] stands for none.
func (p *servedPolicies) has(option int) bool {
	return option >= schema.Primitive && option < len(p.limits)
}

// row returns the actions of the options in an observation, and whether they are known.
func (p *servedPolicies) row(observation []byte) (row []byte, known bool) {
	if p.weights == nil {
		row, known = p.rows[string(observation)]
		return row, known
	}
	terms := envs.StateTerms{Values: wire.DecodeFloats(observation)}
	for i := range terms.Values {
		terms.Weights = append(terms.Weights, int32(1+i))
	}
	for _, o := range p.weights {
		var q []float64
		for theta := range slices.Chunk(o[1:], 1+len(terms.Values)) {
			q = append(q, terms.Dot(theta)+theta[0])
		}
		row = append(row, byte(envs.GreedyAction(q, o[0])))
	}
	return row, true
}

// learn adds observations with a row of actions each.
func (p *servedPolicies) learn(r extendedRequest) error {
	keys, rows, n := r.Observations, r.Policies, len(p.limits)
	if p.rows == nil || len(keys)%p.size > 0 || len(keys)/p.size*n != len(rows) {
		return errors.New("policies of other options, or observations")
	}
	for ; len(keys) > 0; keys, rows = keys[p.size:], rows[n:] {
		p.rows[string(keys[:p.size])] = rows[:n]
	}
	return nil
}

// A servedWalker decides as podtrack's agent would, with the draws of a request.
type servedWalker struct {
	extendedRequest
	policies  *servedPolicies
	actions   int
	begun     bool // a step was decided
	executing int
	executed  int64
}

// walk answers a request for steps that the program decides.
func (e *extensions) walk(r extendedRequest) error {
	if len(r.Observations) > 0 {
		if err := e.policies.learn(r); err != nil {
			return err
		}
	}
	w := servedWalker{extendedRequest: r, policies: &e.policies, actions: len(e.Env.Actions()), executing: *r.Executing,
		executed: r.Executed}
	return e.take(r, r.Steps, false, func(ended bool) (int, bool) { return w.decide(e.packed[e.State], ended) })
}

// noOption stands for the action of an option that cannot start in an observation.
const noOption = schema.Terminate + 1<<8

// decide returns the action in an observation; ok is false if the client has to decide.
func (w *servedWalker) decide(observation []byte, ended bool) (action int, ok bool) {
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
func (w *servedWalker) choose(row []byte) (choice int, ok bool) {
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
	high, low := mathbits.Mul64(x, uint64(len(all)))
	if !ok || low < uint64(len(all)) {
		return 0, false
	}
	return all[high], true
}

func (w *servedWalker) draw() (x uint64, ok bool) {
	if len(w.Draws) < 8 {
		return 0, false
	}
	x = binary.LittleEndian.Uint64(w.Draws)
	w.Draws = w.Draws[8:]
	return x, true
}
