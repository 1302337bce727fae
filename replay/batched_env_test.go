package replay_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/envserver"
	"github.com/podtrack/podtrack/tracker"
)

// servedVariable is the variable by which this test's binary becomes a program that serves the environment named in it.
const servedVariable = "PODTRACK_TEST_SERVED"

// servedText is an environment to be served.
type servedText struct {
	Env    schema.Env
	Reward bool
}

// serveText serves the environment in text.
func serveText(text string) error {
	var s servedText
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	server, err := envserver.New(s.Env, s.Reward, os.Stdout)
	if err != nil {
		return err
	}
	return server.Serve(os.Stdin, newExtensions(server))
}

// servedCase is an environment in another process, and the changes of a spec for it.
type servedCase struct {
	name   string
	env    string
	params map[string]int64
	text   map[string]string
	reward bool
	change func(*schema.Spec)
}

var servedCases = []servedCase{
	{"empirical, episodes, reward", "grid", map[string]int64{"slip": 200, "episode": 40},
		map[string]string{"map": "four-rooms"}, true, func(s *schema.Spec) { s.Learner = schema.Empirical }},
	{"q-learning, real", "grid", map[string]int64{"slip": 100, "goal": 1},
		map[string]string{"map": "i-maze", "observe": "real"}, false,
		func(s *schema.Spec) { s.Learner, s.Kappa, s.MaxOptionSteps = schema.QLearning, 0.2, 7 }},
	{"lspi, binary, option probability", "ring", map[string]int64{"bits": 6}, nil, false,
		func(s *schema.Spec) { s.Learner, s.OptionProbability = schema.LSPI, 0.3 }},
	{"binary, actions that persist", "grid", map[string]int64{"slip": 100, "episode": 25},
		map[string]string{"map": "four-rooms", "observe": "binary"}, false,
		func(s *schema.Spec) { s.Learner, s.Behaviour = schema.Empirical, "zeta=2" }},
	{"successor, the last options", "grid", map[string]int64{"episode": 25},
		map[string]string{"map": "open", "observe": "binary"}, false, func(s *schema.Spec) {
			s.Learner, s.Method, s.Select, s.StateSet = schema.Empirical, schema.Successor, "top=3", schema.VisitedStates
			s.Options = "last=1"
		}},
}

// program returns the program of the case, which is offered some of the extensions.
func (s servedCase) program(t *testing.T, extensions []string) *external.Program {
	t.Helper()
	env, err := envs.DefaultEnv(s.env)
	ok(t, err)
	for name, value := range s.params {
		env.Params[name] = value
	}
	for name, value := range s.text {
		env.Text[name] = value
	}
	text, err := json.Marshal(servedText{env, s.reward})
	ok(t, err)
	self, err := os.Executable()
	ok(t, err)
	return external.NewProgram(external.Command{Words: []string{self}, Vars: []string{servedVariable + "=" + string(text)},
		Timeout: time.Minute, Extensions: extensions})
}

func (s servedCase) job(t *testing.T, p *external.Program) replay.Job {
	t.Helper()
	spec := pod.PaperSpec()
	env, err := p.QueryEnv(t.Context())
	ok(t, err)
	spec.Env, spec.Steps = env, 600
	s.change(&spec)
	ok(t, spec.Validate())
	return replay.Job{Spec: spec, Target: 2}
}

// TestExtensions: records do not depend on the extensions of the protocol that a program uses. A run may be interrupted
// with some, continued with others, and replayed with yet others.
func TestExtensions(t *testing.T) {
	all := external.Extensions()
	for _, c := range schematest.Sample(servedCases) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			alone := c.program(t, all[:0])
			job, calm := c.job(t, alone), newStore(t, tracker.Options{})
			want, _ := runStopped(t, alone, calm, job, 0)
			ok(t, want.Err)
			for n := 1; n <= len(all); n++ {
				program := c.program(t, all[:n])
				o, looks := runStopped(t, program, newStore(t, tracker.Options{}), job, 0)
				if o.Err != nil || o.Head != want.Head {
					t.Errorf("%v: head %s, %v, want %s", all[:n], o.Head, o.Err, want.Head)
				}
				for _, stop := range []int{2, looks / 2} { // the last looks depend on time
					store := newStore(t, tracker.Options{})
					if o, _ := runStopped(t, program, store, job, stop); !errors.Is(o.Err, replay.ErrInterrupted) {
						t.Fatalf("%v, stopped at look %d: %v", all[:n], stop, o.Err)
					}
					other := c.program(t, all[:(n+stop)%(len(all)+1)])
					if o, _ := runStopped(t, other, store, job, 0); o.Err != nil || o.Head != want.Head {
						t.Errorf("%v, stopped at look %d: head %s, %v, want %s", all[:n], stop, o.Head, o.Err, want.Head)
					}
				}
				judgeServed(t, program, calm, want.Run)
			}
		})
	}
}

// judgeServed replays a run with its environment.
func judgeServed(t *testing.T, launcher replay.EnvLauncher, store *tracker.Store, id schema.Digest) {
	t.Helper()
	j, err := replay.Verify(t.Context(), store, runOf(t, store, id), replay.Scope{}, replay.Options{Launcher: launcher})
	ok(t, err)
	if j.Count(replay.Identical) == 0 || j.First != nil {
		t.Errorf("%+v", j)
	}
}
