// Package envserver is podtrack's own: for tests, it serves podtrack's environments over the protocol of
// replay/external. Its extensions are added by the tests of package replay, which compare them.
package envserver

import (
	"bufio"
	"context"
	"crypto/sha256"
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

// A Server is an environment of podtrack that acts for a client.
type Server struct {
	Env     envs.SimulatedEnv
	Kind    schema.Observation
	Rows    [][]float64     // features by state
	Reward  bool            // each step has one
	Running envs.RunningEnv // nil before the first reset
	State   int             // last observed
	Next    *int            // start of the next episode, if the last one has ended

	declared schema.Env // as a spec names it
	more     Extensions // nil for none
	answers  *bufio.Writer
}

// Extensions are those of the protocol.
type Extensions interface {
	// Use takes the extensions that a client offers, and returns those that are used.
	Use(offered []string) []string
	// Answer answers a request that is not one of the protocol itself.
	Answer(line []byte) error
}

// A request is a line of the client.
type request struct {
	ID         uint64   `json:"id"`
	Do         string   `json:"do"`
	Seed       *uint64  `json:"seed"`
	Action     *int     `json:"action"`
	Extensions []string `json:"extensions"` // of hello
}

// New returns a server of one of podtrack's environments. If rewards is true, each step has a reward: −1, and 0 if it
// terminates the episode.
func New(declared schema.Env, rewards bool, answers io.Writer) (*Server, error) {
	env, err := envs.NewEnv(declared)
	if err != nil {
		return nil, err
	}
	simulated, ok := envs.As[envs.SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w: environment %q has no actions", schema.ErrSpec, declared.Name)
	}
	s := &Server{Env: simulated, declared: declared, Reward: rewards, answers: bufio.NewWriter(answers)}
	s.observeStates()
	return s, nil
}

// Serve answers requests, of extensions too unless more is nil, until the client closes its side. The answer to an
// invalid request is an error.
func (s *Server) Serve(requests io.Reader, more Extensions) error {
	s.more = more
	lines := bufio.NewScanner(requests)
	lines.Buffer(nil, lineBytes)
	for lines.Scan() {
		var r request
		err := json.Unmarshal(lines.Bytes(), &r)
		if err == nil {
			err = s.answer(r, lines.Bytes())
		}
		if err != nil {
			s.Send(r.ID, map[string]any{"error": err.Error()}, nil)
		}
		if err := s.answers.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// observeStates computes the observations of all states. They are discrete if exactly one feature is 1 in each state,
// binary if all features are 0 or 1, else real.
func (s *Server) observeStates() {
	oneHot, binary := true, true
	for state := range s.Env.States() {
		row, ones := make([]float64, len(s.Env.Features())), 0
		s.Env.Observe(state, row)
		for _, x := range row {
			binary = binary && (x == 0 || x == 1)
			if x == 1 {
				ones++
			}
		}
		oneHot = oneHot && ones == 1
		s.Rows = append(s.Rows, row)
	}
	switch {
	case oneHot && binary:
		s.Kind = schema.Discrete
	case binary:
		s.Kind = schema.Binary
	default:
		s.Kind = schema.Real
	}
}

// Observe returns the observation of a state for JSON: the index of the feature that is 1, a text of 0 and 1,
// or numbers.
func (s *Server) Observe(state int) any {
	row := s.Rows[state]
	switch s.Kind {
	case schema.Discrete:
		return slices.Index(row, 1)
	case schema.Binary:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", ""), "[]")
	}
	return row
}

// Send writes a line of the answer to a request, and the payload after it, if any.
func (s *Server) Send(id uint64, members map[string]any, payload []byte) {
	members["id"] = id
	line, _ := json.Marshal(members) // of texts and finite numbers
	fmt.Fprintf(s.answers, "%s\n", line)
	if payload != nil {
		fmt.Fprintf(s.answers, "%s\n", payload)
	}
}

// answer answers a request, unless it returns an error.
func (s *Server) answer(r request, line []byte) error {
	members, err := map[string]any{}, error(nil)
	switch {
	case r.Do == "hello":
		members = s.hello(r.Extensions)
	case r.Do == "reset":
		members["observation"], err = s.reset(r.Seed)
	case s.more != nil && r.Do != "step":
		return s.more.Answer(line)
	case s.Running == nil:
		err = errors.New("reset comes first")
	case r.Do == "step" && r.Action != nil && s.HasAction(*r.Action):
		members, err = s.step(*r.Action)
	default:
		err = fmt.Errorf("cannot do %q with these members", r.Do)
	}
	if err == nil {
		s.Send(r.ID, members, nil)
	}
	return err
}

// HasAction reports whether the environment has an action of that index.
func (s *Server) HasAction(a int) bool { return a >= 0 && a < len(s.Env.Actions()) }

// hello returns the declaration, and which of the client's extensions are used.
func (s *Server) hello(extensions []string) map[string]any {
	observes := map[string]any{"kind": s.Kind, "features": s.Env.Features()}
	if s.Kind == schema.Discrete {
		observes = map[string]any{"kind": s.Kind, "n": len(s.Env.Features())}
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
		"actions": s.Env.Actions(), "observes": observes, "parameters": parameters,
	}
	if s.Reward {
		answer["reward"] = true
	}
	if s.more != nil {
		if used := s.more.Use(extensions); len(used) > 0 {
			answer["extensions"] = used
		}
	}
	return answer
}

// reset starts an episode, and returns its first observation. With a seed it starts from the environment's start state.
func (s *Server) reset(seed *uint64) (observation any, err error) {
	switch {
	case seed == nil && s.Next != nil:
		s.State, s.Next = *s.Next, nil
		return s.Observe(s.State), nil
	case seed == nil && s.Running == nil:
		seed = new(uint64)
	}
	if seed != nil {
		s.Running, s.Next = envs.NewRunningEnv(s.Env, *seed, 0, s.Env.Start()), nil
	}
	s.State, err = s.Running.Reset(context.Background())
	return s.Observe(s.State), err
}

func (s *Server) step(action int) (map[string]any, error) {
	o, err := s.Running.Step(context.Background(), action)
	if err != nil {
		return nil, err
	}
	if s.State = o.State; o.End != envs.NotEnded {
		s.Next = &o.NextStart
	}
	answer := map[string]any{
		"observation": s.Observe(o.State), "terminated": o.End == envs.Terminated, "truncated": o.End == envs.Truncated,
	}
	if s.Reward {
		answer["reward"] = RewardOf(o)
	}
	return answer, nil
}

// RewardOf returns the reward of a step.
func RewardOf(o envs.StepResult) float64 {
	if o.End == envs.Terminated {
		return 0
	}
	return -1
}
