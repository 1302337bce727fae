package recorded

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// LoadOptions reads the options that an iteration recorded, in order.
func LoadOptions(tx *tracker.Tx, env envs.Env, it schema.Iteration) ([]*schema.Option, error) {
	var options []*schema.Option
	thetas := ListThetas(env, it)
	for i, name := range it.RecordsOf(schema.KindOption) {
		o, err := LoadExtended(tx, env, name, thetas, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}

// ListThetas returns the digests of the weights of an iteration's options if their policies must extend to states that
// are discovered later, else nil.
func ListThetas(env envs.Env, it schema.Iteration) []schema.Digest {
	if _, grows := envs.As[envs.GrowingEnv](env); !grows {
		return nil
	}
	return it.RecordsOf(schema.KindTheta)
}

// LoadExtended reads an iteration's i-th option by its digest. If thetas has its weights, they extend the policy to all
// known states.
func LoadExtended(
	tx *tracker.Tx, env envs.Env, name schema.Digest, thetas []schema.Digest, i int,
) (*schema.Option, error) {
	o, err := LoadOption(tx, env, name)
	if err != nil || len(thetas) <= i || o.Certificate.Closed {
		return o, err
	}
	theta, err := tracker.Load(tx, thetas[i], schema.DecodeTheta)
	if err != nil {
		return nil, err
	}
	if theta.Actions != o.Arity || theta.Width != len(o.Purpose.Vector)+1 {
		return nil, fmt.Errorf("record %s: %w: weights of %d actions and %d features", thetas[i], wire.ErrMalformed,
			theta.Actions, theta.Width-1)
	}
	o.Theta = &theta
	envs.ExtendPolicies(env, []*schema.Option{o})
	return o, nil
}

// LoadOption reads an option and checks it against the environment.
func LoadOption(tx *tracker.Tx, env envs.Env, name schema.Digest) (*schema.Option, error) {
	o, err := tracker.Load(tx, name, schema.DecodeOption)
	if err != nil {
		return nil, err
	}
	_, grows := envs.As[envs.GrowingEnv](env)
	fits := len(o.Policy) == env.States() || grows && len(o.Policy) <= env.States()
	if !fits || o.Arity != len(env.Actions()) || !envs.FitsFeatures(env, len(o.Purpose.Vector)) {
		return nil, fmt.Errorf("record %s: %w: option with %d states, %d actions and %d features", name,
			wire.ErrMalformed, len(o.Policy), o.Arity, len(o.Purpose.Vector))
	}
	return &o, nil
}
