package api

import (
	"context"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// table returns the value of each state, a float64, followed by the policy, one int8 per state: an action, or −1 where
// the option ends.
func (s *server) table(r *request) (reply.Answer, error) {
	f, err := s.findOption(r)
	if err != nil {
		return reply.Answer{}, err
	}
	values, err := f.values(r.Context())
	if err != nil {
		return reply.Answer{}, err
	}
	body := reply.AppendFloats(make([]byte, 0, 9*len(values)), values...)
	for _, action := range f.option.Policy {
		body = append(body, byte(action))
	}
	return reply.Answer{Kind: reply.BinaryKind, Body: body}, nil
}

// values returns the values of the option's states, from its table or by its weights.
func (f found) values(ctx context.Context) (table schema.Value, err error) {
	err = f.run.View(func(tx *tracker.Tx) error {
		o, l, err := recorded.LoadLearned(tx, f.run.Env, f.run.Iterations[f.ref.K], f.at)
		if err == nil {
			table = learn.StateValues(f.run.Env, o, l)
		}
		return err
	})
	if err != nil {
		return nil, f.run.WrapError(f.ref.K, err)
	}
	return table, nil
}

// q returns the value of each action in each state, in the environment as the option's
// learner knew it: one float64 per action, state by state.
func (s *server) q(r *request) (reply.Answer, error) {
	f, err := s.findOption(r)
	if err != nil {
		return reply.Answer{}, err
	}
	q, err := f.q(r.Context())
	if err != nil {
		return reply.Answer{}, f.run.WrapError(f.ref.K, err)
	}
	return reply.Answer{Kind: reply.BinaryKind, Body: reply.AppendFloats(make([]byte, 0, 8*len(q)), q...)}, nil
}

// checkTable returns an error if a table of the action values has more than maxStates entries.
func checkTable(env envs.Env) error {
	if env.States()*len(env.Actions()) <= maxStates {
		return nil
	}
	return schema.Hint(reply.Errorf(http.StatusConflict, "%d states of %d actions", env.States(), len(env.Actions())),
		"up to %d numbers are served; podtrack why has those of one state", maxStates)
}

// q returns the action values, state by state.
func (f found) q(ctx context.Context) (q []float64, err error) {
	env := f.run.Env
	if err := checkTable(env); err != nil {
		return nil, err
	}
	knew, err := f.run.LearnerEnv(f.ref.K)
	if err != nil {
		return nil, err
	}
	err = f.run.View(func(tx *tracker.Tx) error {
		o, l, err := recorded.LoadLearned(tx, env, f.run.Iterations[f.ref.K], f.at)
		if err == nil {
			q = learn.ActionValues(knew, o.Purpose.Vector, l, f.run.SpecAt(f.ref.K).Gamma)
		}
		return err
	})
	return q, err
}

// potential returns the option's purpose as a potential over states, w(s) = eᵀφ(s):
// one float64 per state.
func (s *server) potential(r *request) (reply.Answer, error) {
	f, err := s.findOption(r)
	if err != nil {
		return reply.Answer{}, err
	}
	w := make([]float64, f.run.Env.States())
	f.run.Env.Potential(f.option.Purpose.Vector, w)
	return reply.Answer{Kind: reply.BinaryKind, Body: reply.AppendFloats(make([]byte, 0, 8*len(w)), w...)}, nil
}
