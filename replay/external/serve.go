package external

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// servedPrefix begins the names of environments that [Serve] declares, since their own belong to
// this program.
const servedPrefix = "served-"

// A Served environment is one of this program that another process acts in: the other side of the
// protocol, and an example of it.
type Served struct {
	env      pod.SimulatedEnv
	declared schema.Env // what the spec would say of it
	observe  func(s int) any
	observes observes
	reward   bool // each step has one

	running pod.RestorableEnv
	next    *int // state in which the next episode begins, if the last one has ended
}

// maxServedStates is the largest number of states of an environment that is served: each of them is
// looked at to tell which kind of observations it has.
const maxServedStates = 1 << 16

// NewServed returns an environment of this program as one to be served. It returns [schema.ErrSpec]
// for one with too many states or without actions.
func NewServed(declared schema.Env) (*Served, error) {
	env, err := pod.NewEnv(declared)
	if err != nil {
		return nil, err
	}
	simulated, ok := env.(pod.SimulatedEnv)
	if !ok || env.States() > maxServedStates {
		return nil, schema.Hint(fmt.Errorf("%w: environment %q with %d states cannot be served", schema.ErrSpec,
			declared.Name, env.States()), "one with actions and up to %d states can", maxServedStates)
	}
	s := &Served{env: simulated, declared: declared}
	s.chooseObservations()
	return s, nil
}

// Declaration returns the environment as a run of it has it, as [Program.QueryEnv] would.
func (s *Served) Declaration() (schema.Env, error) {
	text, err := json.Marshal(s.hello())
	if err != nil {
		return schema.Env{}, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return schema.Env{}, err
	}
	env := envFromAnswer(a)
	env.External.Reward = s.reward
	return env, nil
}

// chooseObservations chooses the kind of observations: the number of the feature that is 1 where each
// state has one, bits where all features are 0 or 1, else numbers.
func (s *Served) chooseObservations() {
	row := make([]float64, len(s.env.Features()))
	oneHot, binary := true, true
	for state := range s.env.States() {
		s.env.Observe(state, row)
		ones := 0
		for _, x := range row {
			binary = binary && (x == 0 || x == 1)
			if x == 1 {
				ones++
			}
		}
		oneHot = oneHot && ones == 1
	}
	switch {
	case oneHot && binary:
		s.observes = observes{Kind: string(schema.Discrete), N: int64(len(row))}
		s.observe = func(state int) any { return indexOfOne(s.env, state, row) }
	case binary:
		s.observes = observes{Kind: string(schema.Binary), Features: s.env.Features()}
		s.observe = func(state int) any { return bitsOf(s.env, state, row) }
	default:
		s.observes = observes{Kind: string(schema.Real), Features: s.env.Features()}
		s.observe = func(state int) any { s.env.Observe(state, row); return row }
	}
}

// indexOfOne returns which feature of a state is 1.
func indexOfOne(env pod.Env, state int, row []float64) int {
	env.Observe(state, row)
	for i, x := range row {
		if x == 1 {
			return i
		}
	}
	return 0
}

// bitsOf returns the features of a state as a text of 0 and 1.
func bitsOf(env pod.Env, state int, row []float64) string {
	env.Observe(state, row)
	text := make([]byte, len(row))
	for i, x := range row {
		text[i] = '0' + byte(x)
	}
	return string(text)
}

// A servedRequest is a line of the client.
type servedRequest struct {
	ID     uint64  `json:"id"`
	Do     string  `json:"do"`
	Seed   *uint64 `json:"seed"`
	Action *int    `json:"action"`
	State  *string `json:"state"`
}

// Serve answers requests until the client closes its side or ctx is cancelled. A request that makes no
// sense is answered with an error.
func (s *Served) Serve(ctx context.Context, requests io.Reader, answers io.Writer) error {
	lines, failed := make(chan []byte), make(chan error, 1)
	go readLines(ctx, requests, lines, failed)
	out := json.NewEncoder(answers)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			return err
		case line := <-lines:
			if err := out.Encode(s.answerLine(ctx, line)); err != nil {
				return fmt.Errorf("answer a request: %w", err)
			}
		}
	}
}

// readLines sends the lines of a client, and at their end nil or an error.
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
		err = fmt.Errorf("a request of more than %d MiB: %w", lineBytes>>20, schema.ErrMalformed)
	}
	failed <- err
}

// answerLine returns the answer to a line.
func (s *Served) answerLine(ctx context.Context, line []byte) map[string]any {
	var r servedRequest
	err := json.Unmarshal(line, &r)
	answer := map[string]any{}
	if err == nil {
		answer, err = s.answer(ctx, r)
	}
	if err != nil {
		answer = map[string]any{"error": err.Error()}
	}
	answer["id"] = r.ID
	return answer
}

// answer returns the members of the answer to a request, apart from its number.
func (s *Served) answer(ctx context.Context, r servedRequest) (map[string]any, error) {
	switch {
	case r.Do == "hello":
		return s.hello(), nil
	case r.Do == "reset":
		return s.reset(ctx, r.Seed)
	case r.Do == "restore" && r.State != nil:
		return map[string]any{}, s.restore(ctx, *r.State)
	case s.running == nil:
		return nil, errors.New("reset comes first")
	case r.Do == "save":
		return s.save()
	case r.Do == "step" && r.Action != nil && *r.Action >= 0 && *r.Action < len(s.env.Actions()):
		return s.step(ctx, *r.Action)
	}
	return nil, fmt.Errorf("cannot do %q with these members", r.Do)
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
		"protocol": protocol, "name": servedPrefix + s.declared.Name,
		"version": strconv.FormatUint(s.declared.Version, 10), "actions": s.env.Actions(), "observes": s.observes,
		"parameters": parameters, "snapshot": true,
	}
	if s.reward {
		answer["reward"] = true
	}
	return answer
}

// reset begins an episode, with a seed from the environment's start.
func (s *Served) reset(ctx context.Context, seed *uint64) (map[string]any, error) {
	if seed == nil && s.next != nil {
		state := *s.next
		s.next = nil
		return map[string]any{"observation": s.observe(state)}, nil
	}
	if seed != nil || s.running == nil {
		s.begin(seed)
	}
	state, err := s.running.Reset(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"observation": s.observe(state)}, nil
}

// begin begins with the random numbers of a seed.
func (s *Served) begin(seed *uint64) {
	from := uint64(0)
	if seed != nil {
		from = *seed
	}
	s.running, s.next = s.newRunning(from), nil
}

func (s *Served) newRunning(seed uint64) pod.RestorableEnv {
	running, _ := pod.NewRunningEnv(s.env, seed, 0, s.env.Start()).(pod.RestorableEnv)
	return running
}

func (s *Served) step(ctx context.Context, action int) (map[string]any, error) {
	o, err := s.running.Step(ctx, action)
	if err != nil {
		return nil, err
	}
	if o.End != pod.NotEnded {
		s.next = &o.NextStart
	}
	answer := map[string]any{
		"observation": s.observe(o.State), "terminated": o.End == pod.Terminated, "truncated": o.End == pod.Truncated,
	}
	if s.reward {
		answer["reward"] = s.rewardOf(o)
	}
	return answer, nil
}

// A servedState is what save returns, and restore needs.
type servedState struct {
	Running []byte `json:"running"`
	Next    *int   `json:"next,omitempty"`
}

func (s *Served) save() (map[string]any, error) {
	running, err := s.running.Save()
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(servedState{running, s.next})
	return map[string]any{"state": base64.StdEncoding.EncodeToString(state)}, err
}

func (s *Served) restore(ctx context.Context, text string) error {
	var saved servedState
	data, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err == nil && saved.Next != nil && (*saved.Next < 0 || *saved.Next >= s.env.States()) {
		err = fmt.Errorf("%w: an episode from state %d", schema.ErrMalformed, *saved.Next)
	}
	if err != nil {
		return err
	}
	running := s.newRunning(0)
	if err := running.Restore(ctx, saved.Running); err != nil {
		return err
	}
	s.running, s.next = running, saved.Next
	return nil
}
