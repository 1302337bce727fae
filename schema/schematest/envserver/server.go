// Package envserver is podtrack's own: for tests, it serves podtrack's environments over the protocol of
// replay/external, with all of its extensions.
package envserver

import (
	"bufio"
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
)

// prefix begins the declared names: the names of the environments themselves are reserved for podtrack.
const prefix = "served-"

// protocol is the version of the protocol, lineBytes the length of its longest line.
const (
	protocol  = 1
	lineBytes = 16 << 20
)

// A server is an environment of podtrack that acts for a client.
type server struct {
	env      envs.SimulatedEnv
	declared schema.Env // as a spec names it
	kind     schema.Observation
	rows     [][]float64 // features by state
	packed   [][]byte    // observations by state
	reward   bool        // each step has one
	frames   bool        // answers to steps have a payload
	parts    bool        // of up to partSteps steps each
	policies policies

	running envs.RunningEnv
	state   int  // last observed
	next    *int // start of the next episode, if the last one has ended

	answers *bufio.Writer
}

type request struct {
	ID     uint64  `json:"id"`
	Do     string  `json:"do"`
	Seed   *uint64 `json:"seed"`
	Action *int    `json:"action"`

	Extensions []string `json:"extensions"` // of hello

	Actions   []int   `json:"actions"` // of steps
	Seconds   float64 `json:"seconds"`
	Steps     int     `json:"steps"` // of walk
	Draws     []byte  `json:"draws"`
	Chance    uint64  `json:"chance"`
	Executing *int    `json:"executing"`
	Executed  int64   `json:"executed"`
	Stop      bool    `json:"stop"`

	Limits       []int64 `json:"limits"` // of options
	Weights      []byte  `json:"weights"`
	Observations []byte  `json:"observations"` // of policies
	Policies     []byte  `json:"policies"`
}

// Serve answers requests about one of podtrack's environments until the client closes its side. If rewards is true,
// each step has a reward: −1, and 0 if it terminates the episode. The answer to an invalid request is an error.
func Serve(declared schema.Env, rewards bool, requests io.Reader, answers io.Writer) error {
	env, err := envs.NewEnv(declared)
	if err != nil {
		return err
	}
	simulated, ok := envs.As[envs.SimulatedEnv](env)
	if !ok {
		return fmt.Errorf("%w: environment %q has no actions", schema.ErrSpec, declared.Name)
	}
	s := &server{env: simulated, declared: declared, reward: rewards, answers: bufio.NewWriter(answers)}
	s.observeStates()
	lines := bufio.NewScanner(requests)
	lines.Buffer(nil, lineBytes)
	for lines.Scan() {
		var r request
		err := json.Unmarshal(lines.Bytes(), &r)
		if err == nil {
			err = s.answer(r)
		}
		if err != nil {
			s.send(r, map[string]any{"error": err.Error()}, nil)
		}
		if err := s.answers.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// observeStates computes the observations of all states. They are discrete if exactly one feature is 1 in each state,
// binary if all features are 0 or 1, else real.
func (s *server) observeStates() {
	oneHot, binary := true, true
	for state := range s.env.States() {
		row, ones := make([]float64, len(s.env.Features())), 0
		s.env.Observe(state, row)
		for _, x := range row {
			binary = binary && (x == 0 || x == 1)
			if x == 1 {
				ones++
			}
		}
		oneHot = oneHot && ones == 1
		s.rows = append(s.rows, row)
	}
	switch {
	case oneHot && binary:
		s.kind = schema.Discrete
	case binary:
		s.kind = schema.Binary
	default:
		s.kind = schema.Real
	}
	for _, row := range s.rows {
		s.packed = append(s.packed, s.pack(row))
	}
}

func (s *server) pack(row []float64) []byte {
	switch s.kind {
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

// observe returns the observation of a state for JSON: the index of the feature that is 1, a text of 0 and 1,
// or numbers.
func (s *server) observe(state int) any {
	row := s.rows[state]
	switch s.kind {
	case schema.Discrete:
		return slices.Index(row, 1)
	case schema.Binary:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", ""), "[]")
	}
	return row
}

// send writes a line of the answer to a request, and the payload after it, if any.
func (s *server) send(r request, members map[string]any, payload []byte) {
	members["id"] = r.ID
	line, _ := json.Marshal(members) // of texts and finite numbers
	fmt.Fprintf(s.answers, "%s\n", line)
	if payload != nil {
		fmt.Fprintf(s.answers, "%s\n", payload)
	}
}

func (s *server) answer(r request) error {
	members, err := map[string]any{}, error(nil)
	switch {
	case r.Do == "hello":
		members = s.hello(r.Extensions)
	case r.Do == "reset":
		members["observation"], err = s.reset(r.Seed)
	case r.Do == "options":
		err = s.learnOptions(r)
	case r.Do == "policies":
		err = s.policies.learn(r)
	case s.running == nil:
		err = errors.New("reset comes first")
	case r.Do == "step" && r.Action != nil && s.hasAction(*r.Action):
		members, err = s.step(*r.Action)
	case r.Do == "steps" && !slices.ContainsFunc(r.Actions, func(a int) bool { return !s.hasAction(a) }):
		return s.takeGiven(r)
	case r.Do == "walk" && r.Executing != nil && s.policies.has(*r.Executing):
		return s.walk(r)
	default:
		err = fmt.Errorf("cannot do %q with these members", r.Do)
	}
	if err == nil {
		s.send(r, members, nil)
	}
	return err
}

func (s *server) hasAction(a int) bool { return a >= 0 && a < len(s.env.Actions()) }

// hello returns the declaration, and which of the client's extensions are used.
func (s *server) hello(extensions []string) map[string]any {
	observes := map[string]any{"kind": s.kind, "features": s.env.Features()}
	if s.kind == schema.Discrete {
		observes = map[string]any{"kind": s.kind, "n": len(s.env.Features())}
	}
	parameters := map[string]string{}
	for _, name := range s.declared.Parameters() {
		parameters[name], _ = s.declared.Parameter(name)
		if strings.ContainsAny(parameters[name], "\n\r\t") { // a map
			parameters[name] = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(parameters[name])))
		}
	}
	answer := map[string]any{
		"protocol": protocol, "name": prefix + s.declared.Name, "version": strconv.FormatUint(s.declared.Version, 10),
		"actions": s.env.Actions(), "observes": observes, "parameters": parameters,
	}
	if s.reward {
		answer["reward"] = true
	}
	used := slices.DeleteFunc(extensions, func(name string) bool { return name == "weights" && s.kind != schema.Real })
	s.frames, s.parts = slices.Contains(used, "frames"), slices.Contains(used, "parts")
	if len(used) > 0 {
		answer["extensions"] = used
	}
	return answer
}

// reset starts an episode, and returns its first observation. With a seed it starts from the environment's start state.
func (s *server) reset(seed *uint64) (observation any, err error) {
	switch {
	case seed == nil && s.next != nil:
		s.state, s.next = *s.next, nil
		return s.observe(s.state), nil
	case seed == nil && s.running == nil:
		seed = new(uint64)
	}
	if seed != nil {
		s.running, s.next = envs.NewRunningEnv(s.env, *seed, 0, s.env.Start()), nil
	}
	s.state, err = s.running.Reset(context.Background())
	return s.observe(s.state), err
}

func (s *server) step(action int) (map[string]any, error) {
	o, err := s.running.Step(context.Background(), action)
	if err != nil {
		return nil, err
	}
	if s.state = o.State; o.End != envs.NotEnded {
		s.next = &o.NextStart
	}
	answer := map[string]any{
		"observation": s.observe(o.State), "terminated": o.End == envs.Terminated, "truncated": o.End == envs.Truncated,
	}
	if s.reward {
		answer["reward"] = rewardOf(o)
	}
	return answer, nil
}

func rewardOf(o envs.StepResult) float64 {
	if o.End == envs.Terminated {
		return 0
	}
	return -1
}
