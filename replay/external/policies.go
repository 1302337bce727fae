package external

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

const (
	// maxPolicyBytes bounds what a program keeps of policies, in its own objects.
	maxPolicyBytes = 128 << 20
	// policyOverhead is about what it takes to keep an observation, apart from its bytes.
	policyOverhead = 320
	// policyRequestBytes is about how long a request with policies is.
	policyRequestBytes = 1 << 20
	// maxPolicies bounds the number of options.
	maxPolicies = 1 << 12
)

// sentPolicies is what a program knows of the options.
type sentPolicies struct {
	begun bool
	none  bool // there are too many options
	stop  bool // nothing follows from an observation that it does not know
	sent  int  // states whose actions it knows
	bytes int  // about what they take
	full  bool // there is no room for more
}

// knows reports whether the program knows what to do in a state.
func (p *sentPolicies) knows(state int) bool { return !p.none && (state < p.sent || !p.stop) }

// sendPolicies sends the actions of all options in the states that became known since the last time.
func (w *runningEnv) sendPolicies(ctx context.Context, options pod.OptionSet) error {
	p := &w.policies
	if !p.begun {
		p.begun, p.none = true, len(options.Options) > maxPolicies
		p.stop = canExtend(options)
		if !p.none {
			if err := w.sendOptions(ctx, options); err != nil {
				return err
			}
		}
	}
	for !p.none && !p.full && p.sent < w.observations.States() {
		if err := w.sendStates(ctx, options); err != nil {
			return err
		}
	}
	return nil
}

// canExtend reports whether an option's policy extends to states that become known.
func canExtend(options pod.OptionSet) bool {
	for _, o := range options.Options {
		if o.Theta != nil {
			return true
		}
	}
	return false
}

// sendOptions sends the step limit of each option.
func (w *runningEnv) sendOptions(ctx context.Context, options pod.OptionSet) error {
	limits := make([]string, len(options.Options))
	for i, o := range options.Options {
		limits[i] = fmt.Sprint(o.Certificate.MaxSteps)
	}
	_, err := w.process.request(ctx, `"do":"options","limits":[`+strings.Join(limits, ",")+`]`)
	return err
}

// sendStates sends the actions in some of the states. Those in which no option has one are left out.
func (w *runningEnv) sendStates(ctx context.Context, options pod.OptionSet) error {
	p := &w.policies
	var observations, actions []byte
	for ; p.sent < w.observations.States() && len(observations)+len(actions) < policyRequestBytes; p.sent++ {
		at := len(actions)
		actions = options.AppendActions(actions, p.sent)
		if !p.stop && isNowhere(actions[at:]) {
			actions = actions[:at]
			continue
		}
		takes := w.observations.ObservationSize() + 4*len(options.Options) + policyOverhead
		if p.bytes+takes > maxPolicyBytes {
			p.full, p.stop = true, true
			actions = actions[:at]
			break
		}
		p.bytes += takes
		observations = w.observations.AppendObservation(observations, p.sent)
	}
	if len(observations) == 0 {
		return ctx.Err()
	}
	_, err := w.process.request(ctx, `"do":"policies","observations":"`+
		base64.StdEncoding.EncodeToString(observations)+`","policies":"`+base64.StdEncoding.EncodeToString(actions)+`"`)
	return err
}

// isNowhere reports whether no option has an action.
func isNowhere(actions []byte) bool {
	none := int8(schema.Terminate)
	for _, a := range actions {
		if a != uint8(none) {
			return false
		}
	}
	return true
}
