package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadOptions reads the options that an iteration recorded, in order.
func LoadOptions(tx *tracker.Tx, env pod.Env, it schema.Iteration) ([]*schema.Option, error) {
	var options []*schema.Option
	for i := range it.RecordsOf(schema.KindOption) {
		o, err := loadOptionOf(tx, env, it, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}

// loadOptionOf reads an iteration's i-th option, with a policy in all states known now if there
// are weights to derive it from.
func loadOptionOf(tx *tracker.Tx, env pod.Env, it schema.Iteration, i int) (*schema.Option, error) {
	o, err := LoadOption(tx, env, it.RecordsOf(schema.KindOption)[i])
	if _, grows := pod.As[pod.GrowingEnv](env); err != nil || !grows {
		return o, err
	}
	thetas := it.RecordsOf(schema.KindTheta)
	if len(thetas) <= i {
		return o, nil
	}
	theta, err := tracker.Load(tx, thetas[i], schema.DecodeTheta)
	if err != nil {
		return nil, err
	}
	if theta.Actions != o.Arity || theta.Width != len(o.Purpose.Vector)+1 {
		return nil, fmt.Errorf("record %s: %w: weights of %d actions and %d features", thetas[i], schema.ErrMalformed,
			theta.Actions, theta.Width-1)
	}
	o.Theta = &theta
	pod.ExtendPolicies(env, []*schema.Option{o})
	return o, nil
}

// LoadOption reads an option and checks it against the environment: the digest proves which bytes
// were recorded, not that they are usable.
func LoadOption(tx *tracker.Tx, env pod.Env, name schema.Digest) (*schema.Option, error) {
	o, err := tracker.Load(tx, name, schema.DecodeOption)
	if err != nil {
		return nil, err
	}
	_, grows := pod.As[pod.GrowingEnv](env)
	fits := len(o.Policy) == env.States() || grows && len(o.Policy) <= env.States()
	if !fits || o.Arity != len(env.Actions()) || len(o.Purpose.Vector) != len(env.Features()) {
		return nil, fmt.Errorf("record %s: %w: an option of %d states, %d actions and %d features", name,
			schema.ErrMalformed, len(o.Policy), o.Arity, len(o.Purpose.Vector))
	}
	return &o, nil
}
