package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// An Option is a recorded option with the values that it was made from. The embedded [schema.Option] has its purpose,
// its policy (an action for each state, [schema.Terminate] where it ends) and its certificate.
type Option struct {
	schema.Option
	K      int           // iteration that made it; it is available from K+1 on
	Number int           // in the run, from 0
	Record schema.Digest // of the option

	Values schema.Value  // v: discounted intrinsic reward expected from each state
	Theta  *schema.Theta // weights of a linear learner, from which Values follow; nil with others
}

// String returns the option as references write it, such as 0/4-.
func (o Option) String() string {
	sign := "+"
	if o.Purpose.Sign < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%d/%d%s", o.K, o.Purpose.J, sign)
}

// Initiation returns the states in which the option can start, ascending.
func (o Option) Initiation() (states []int) {
	for s := range o.Policy {
		if o.CanStart(s) {
			states = append(states, s)
		}
	}
	return states
}

// Options returns the options that iteration k made, in the order of their numbers. They cover the
// states that were known after the iteration.
func (r *Run) Options(ctx context.Context, k int) ([]Option, error) {
	records, err := r.iteration(ctx, k)
	if err != nil {
		return nil, err
	}
	env, err := records.EnvAfter(k)
	if err != nil {
		return nil, records.WrapError(k, err)
	}
	var options []Option
	listed := recorded.ListLearned(records.Iterations[k])
	for i, name := range records.Iterations[k].RecordsOf(schema.KindOption) {
		o := Option{K: k, Number: records.FirstNumber(k) + i, Record: name}
		err := records.View(func(tx *tracker.Tx) error { return o.load(tx, env, listed, i) })
		if err != nil {
			return nil, records.WrapError(k, err)
		}
		options = append(options, o)
	}
	return options, nil
}

// load reads option i of an iteration.
func (o *Option) load(tx *tracker.Tx, env envs.Env, listed recorded.Learned, i int) error {
	own, learned, err := listed.Load(tx, env, i)
	if err != nil {
		return err
	}
	o.Option, o.Values = *own, learn.StateValues(env, own, learned)
	if theta, linear := learned.(schema.Theta); linear {
		o.Theta = &theta
	}
	return nil
}
