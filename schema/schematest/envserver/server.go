// Package envserver is podtrack's own: for tests, it serves podtrack's environments over the protocol of
// replay/external, with all of its extensions.
package envserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// prefix begins the declared names: the names of the environments themselves are reserved for podtrack.
const prefix = "served-"

// protocol is the version of the protocol, lineBytes the length of its longest line.
const (
	protocol  = 1
	lineBytes = 16 << 20
)

// The extensions of the protocol that change answers.
const (
	framesExtension  = "frames"
	weightsExtension = "weights"
	partsExtension   = "parts"
)

// noOption stands for the action of an option that cannot start in an observation.
const noOption = schema.Terminate + 1<<8

// observes declares the observations.
type observes struct {
	Kind     string   `json:"kind"`
	N        int64    `json:"n,omitempty"`
	Features []string `json:"features,omitempty"`
}

// A Served is an environment of podtrack that acts for a client.
type Served struct {
	env      envs.SimulatedEnv
	declared schema.Env // as a spec names it
	observes observes
	reward   bool // each step has one

	running envs.RestorableEnv
	next    *int // start of the next episode, if the last one has ended

	state    int      // last observed
	packed   [][]byte // observations by state, filled on demand
	frames   bool     // answers to steps have a payload
	parts    bool     // of up to servedPartSteps steps each
	policies servedPolicies
}

// A servedAnswer is the line of an answer, and the payload after it.
type servedAnswer struct {
	members map[string]any
	payload []byte
	next    *servedAnswer // next part, if any
}

// New returns a server of one of podtrack's environments. If rewards is true, each step has a reward: −1, and 0
// if it terminates the episode.
func New(declared schema.Env, rewards bool) (*Served, error) {
	env, err := envs.NewEnv(declared)
	if err != nil {
		return nil, err
	}
	simulated, ok := envs.As[envs.SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w: environment %q has no actions", schema.ErrSpec, declared.Name)
	}
	s := &Served{env: simulated, declared: declared, reward: rewards}
	s.chooseObservations()
	return s, nil
}

// rewardOf returns the reward of a step.
func rewardOf(o envs.StepResult) float64 {
	if o.End == envs.Terminated {
		return 0
	}
	return -1
}

// chooseObservations chooses the kind of observations: discrete if exactly one feature is 1 in each state,
// binary if all features are 0 or 1, else real.
func (s *Served) chooseObservations() {
	oneHot, binary := true, true
	for state := range s.env.States() {
		ones := 0
		for _, x := range s.row(state) {
			binary = binary && (x == 0 || x == 1)
			if x == 1 {
				ones++
			}
		}
		oneHot = oneHot && ones == 1
	}
	features := s.env.Features()
	switch {
	case oneHot && binary:
		s.observes = observes{Kind: string(schema.Discrete), N: int64(len(features))}
	case binary:
		s.observes = observes{Kind: string(schema.Binary), Features: features}
	default:
		s.observes = observes{Kind: string(schema.Real), Features: features}
	}
}

// row returns the features of a state.
func (s *Served) row(state int) []float64 {
	row := make([]float64, len(s.env.Features()))
	s.env.Observe(state, row)
	return row
}

// observe returns the observation of a state for JSON: the index of the feature that is 1, a text of 0 and 1,
// or numbers.
func (s *Served) observe(state int) any {
	row := s.row(state)
	switch schema.Observation(s.observes.Kind) {
	case schema.Discrete:
		return slices.Index(row, 1)
	case schema.Binary:
		text := make([]byte, len(row))
		for i, x := range row {
			text[i] = '0' + byte(x)
		}
		return string(text)
	}
	return row
}

// pack returns the observation of a state as bytes.
func (s *Served) pack(state int) []byte {
	if s.packed == nil {
		s.packed = make([][]byte, s.env.States())
	}
	if s.packed[state] == nil {
		s.packed[state] = s.packRow(s.row(state))
	}
	return s.packed[state]
}

func (s *Served) packRow(row []float64) []byte {
	switch schema.Observation(s.observes.Kind) {
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

// A servedRequest is a request of the client: one line.
type servedRequest struct {
	ID     uint64  `json:"id"`
	Do     string  `json:"do"`
	Seed   *uint64 `json:"seed"`
	Action *int    `json:"action"`

	Extensions []string `json:"extensions"` // of hello

	Actions   []int   `json:"actions"` // of steps
	Seconds   float64 `json:"seconds"`
	Steps     int     `json:"steps"` // of walk
	Draws     string  `json:"draws"`
	Chance    uint64  `json:"chance"`
	Executing *int    `json:"executing"`
	Executed  int64   `json:"executed"`
	Stop      bool    `json:"stop"`

	Limits       []int64 `json:"limits"` // of options
	Weights      string  `json:"weights"`
	Observations string  `json:"observations"` // of policies
	Policies     string  `json:"policies"`
}

// Serve answers requests until the client closes its side or ctx is cancelled. The answer to an invalid request
// is an error.
func (s *Served) Serve(ctx context.Context, requests io.Reader, answers io.Writer) error {
	lines, failed := make(chan []byte), make(chan error, 1)
	go readLines(ctx, requests, lines, failed)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			return err
		case line := <-lines:
			text, err := s.answerLine(ctx, line)
			if err == nil {
				_, err = answers.Write(text)
			}
			if err != nil {
				return fmt.Errorf("answer a request: %w", err)
			}
		}
	}
}

// readLines sends the lines of a client, and then nil or the error that ended them.
func readLines(ctx context.Context, requests io.Reader, lines chan<- []byte, failed chan<- error) {
	scanner := bufio.NewScanner(requests)
	scanner.Buffer(nil, lineBytes)
	for scanner.Scan() {
		select {
		case lines <- bytes.Clone(scanner.Bytes()):
		case <-ctx.Done():
			return
		}
	}
	err := scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a request of more than %d MiB: %w", lineBytes>>20, wire.ErrMalformed)
	}
	failed <- err
}

// answerLine returns the answer to a line, and its payload.
func (s *Served) answerLine(ctx context.Context, line []byte) ([]byte, error) {
	var r servedRequest
	err := json.Unmarshal(line, &r)
	answer := servedAnswer{members: map[string]any{}}
	if err == nil {
		answer, err = s.answer(ctx, r)
	}
	if err != nil {
		answer = servedAnswer{members: map[string]any{"error": err.Error()}}
	}
	var text []byte
	for part := &answer; part != nil; part = part.next {
		part.members["id"] = r.ID
		line, err := json.Marshal(part.members)
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
		if part.payload != nil {
			text = append(append(text, part.payload...), '\n')
		}
	}
	return text, nil
}

// answer returns the answer to a request, without its ID.
func (s *Served) answer(ctx context.Context, r servedRequest) (servedAnswer, error) {
	members, err := map[string]any{}, error(nil)
	switch {
	case r.Do == "hello":
		members = s.hello()
		used := slices.DeleteFunc(r.Extensions, func(name string) bool {
			return name == weightsExtension && s.observes.Kind != string(schema.Real)
		})
		s.frames, s.parts = slices.Contains(used, framesExtension), slices.Contains(used, partsExtension)
		if len(used) > 0 {
			members["extensions"] = used
		}
	case r.Do == "reset":
		members, err = s.reset(ctx, r.Seed)
	case r.Do == "options":
		err = s.learnOptions(r.Limits, r.Weights)
	case r.Do == "policies":
		err = s.policies.learn(r.Observations, r.Policies)
	case s.running == nil:
		err = errors.New("reset comes first")
	case r.Do == "step" && r.Action != nil && *r.Action >= 0 && *r.Action < len(s.env.Actions()):
		members, err = s.step(ctx, *r.Action)
	case r.Do == "steps":
		return s.takeSteps(ctx, r)
	case r.Do == "walk":
		return s.walk(ctx, r)
	default:
		err = fmt.Errorf("cannot do %q with these members", r.Do)
	}
	return servedAnswer{members: members}, err
}

func (s *Served) hello() map[string]any {
	parameters := map[string]string{}
	for _, name := range s.declared.Parameters() {
		parameters[name], _ = s.declared.Parameter(name)
		if strings.ContainsAny(parameters[name], "\n\r\t") { // a map
			parameters[name] = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(parameters[name])))
		}
	}
	answer := map[string]any{
		"protocol": protocol, "name": prefix + s.declared.Name,
		"version": strconv.FormatUint(s.declared.Version, 10), "actions": s.env.Actions(), "observes": s.observes,
		"parameters": parameters,
	}
	if s.reward {
		answer["reward"] = true
	}
	return answer
}

// reset starts an episode. With a seed it starts from the environment's start state.
func (s *Served) reset(ctx context.Context, seed *uint64) (map[string]any, error) {
	if seed == nil && s.next != nil {
		state := *s.next
		s.state, s.next = state, nil
		return map[string]any{"observation": s.observe(state)}, nil
	}
	if seed != nil || s.running == nil {
		if seed == nil {
			seed = new(uint64)
		}
		s.running, s.next = envs.NewRunningEnv(s.env, *seed, 0, s.env.Start()).(envs.RestorableEnv), nil
	}
	state, err := s.running.Reset(ctx)
	if err != nil {
		return nil, err
	}
	s.state = state
	return map[string]any{"observation": s.observe(state)}, nil
}

func (s *Served) step(ctx context.Context, action int) (map[string]any, error) {
	o, err := s.running.Step(ctx, action)
	if err != nil {
		return nil, err
	}
	if o.End != envs.NotEnded {
		s.next = &o.NextStart
	}
	s.state = o.State
	answer := map[string]any{
		"observation": s.observe(o.State), "terminated": o.End == envs.Terminated, "truncated": o.End == envs.Truncated,
	}
	if s.reward {
		answer["reward"] = rewardOf(o)
	}
	return answer, nil
}
