package external

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

const (
	// maxPolicyBytes bounds the memory that a program needs for policies, in its own objects.
	maxPolicyBytes = 128 << 20
	// policyOverhead is the approximate overhead of keeping an observation, beyond its bytes.
	policyOverhead = 320
	// policyRequestBytes is the approximate length of a request with policies.
	policyRequestBytes = 1 << 20
	// maxPolicies bounds the number of options.
	maxPolicies = 1 << 12
	// noOption is the action in states where an option cannot start or ends: the byte of [schema.Terminate].
	noOption = schema.Terminate + 1<<8
)

// sentPolicies records which options and policies have been sent to a program.
type sentPolicies struct {
	optionsSent    bool
	tooManyOptions bool
	byWeights      bool // it has the weights of all options, and acts by them in every state
	stopsAtUnknown bool // it cannot continue from an observation that it does not know
	sent           int  // number of states whose actions it has
	bytes          int  // their approximate memory
	noRoom         bool // the memory is used up

	unsent object // members of the next request: states not sent yet
}

// knows reports whether the program knows what to do in a state.
func (s *sentPolicies) knows(state int) bool {
	return !s.tooManyOptions && (s.byWeights || state < s.sent || !s.stopsAtUnknown)
}

// sendPolicies sends the actions of all options in the states discovered since the last call. If the last ones are few,
// it leaves them in r.policies.unsent for the next request.
func (r *runningEnv) sendPolicies(ctx context.Context, walk collect.Walk) error {
	p, options := &r.policies, walk.Options
	if !p.optionsSent {
		p.optionsSent, p.tooManyOptions = true, len(options.Options) > maxPolicies
		p.byWeights = r.uses(weightsExtension) && walk.ByFeatures && r.canActByWeights(options)
		p.stopsAtUnknown = !p.byWeights && // some option's policy extends to states that are discovered later
			slices.ContainsFunc(options.Options, func(o *schema.Option) bool { return o.Theta != nil })
		if !p.tooManyOptions {
			if err := r.sendOptions(ctx, options); err != nil {
				return err
			}
		}
	}
	if !p.stopsAtUnknown {
		p.skipStates(r.observations.States(), options)
	}
	for !p.tooManyOptions && !p.byWeights && !p.noRoom && p.sent < r.observations.States() {
		if err := r.flushPolicies(ctx); err != nil {
			return err
		}
		p.addStates(r.observations, options)
	}
	return ctx.Err()
}

// flushPolicies sends what is unsent, if anything is, in a request of its own.
func (r *runningEnv) flushPolicies(ctx context.Context) error {
	if r.policies.unsent == nil {
		return ctx.Err()
	}
	_, err := r.exchange(ctx, append(object{"do", "policies"}, r.policies.unsent...))
	r.policies.unsent = nil
	return err
}

// sendOptions sends the step limit of each option, and the weights of all if the program acts by them.
func (r *runningEnv) sendOptions(ctx context.Context, options collect.OptionSet) error {
	limits := make([]int64, len(options.Options))
	for i, o := range options.Options {
		limits[i] = o.Certificate.MaxSteps
	}
	request := object{"do", "options", "limits", limits}
	if r.policies.byWeights {
		request = append(request, "weights", appendWeights(nil, options))
	}
	_, err := r.exchange(ctx, request)
	return err
}

// skipStates skips the last states if no option has an action there, since all options are older than these states.
func (s *sentPolicies) skipStates(states int, options collect.OptionSet) {
	for _, o := range options.Options {
		if s.sent < len(o.Policy) {
			return
		}
	}
	s.sent = states
}

// addStates sets what is unsent to the actions in some of the states. It leaves out states in which no option
// has an action.
func (s *sentPolicies) addStates(seen *envs.ObservedStates, options collect.OptionSet) {
	size, count := seen.ObservationSize(), len(options.Options)
	most := min(seen.States()-s.sent, policyRequestBytes/(size+count)+1)
	observations, actions := make([]byte, 0, most*size), make([]byte, 0, most*count)
	for ; s.sent < seen.States() && len(observations)+len(actions) < policyRequestBytes; s.sent++ {
		at := len(actions)
		actions = options.AppendActions(actions, s.sent)
		isAction := func(a byte) bool { return a != noOption }
		if !s.stopsAtUnknown && !slices.ContainsFunc(actions[at:], isAction) {
			actions = actions[:at]
			continue
		}
		takes := size + 4*count + policyOverhead
		if s.bytes+takes > maxPolicyBytes {
			s.noRoom, s.stopsAtUnknown = true, true
			actions = actions[:at]
			break
		}
		s.bytes += takes
		observations = seen.AppendObservation(observations, s.sent)
	}
	s.unsent = nil
	if len(observations) > 0 {
		s.unsent = object{"observations", observations, "policies", actions}
	}
}

const (
	// maxWeights bounds the weights of all options if a program acts by them. With that many, a step takes Python about
	// half the time of an exchange.
	maxWeights = 1 << 12
	// maxWeightedFeatures bounds the terms of a sum.
	maxWeightedFeatures = 64
)

// canActByWeights reports whether the actions of all options follow from their weights in every real observation, and
// sending the weights is worthwhile.
func (r *runningEnv) canActByWeights(options collect.OptionSet) bool {
	x := r.observer.declared
	if x.Observes != schema.Real || x.Size > maxWeightedFeatures ||
		len(options.Options)*len(x.Actions)*(int(x.Size)+1) > maxWeights {
		return false
	}
	return !slices.ContainsFunc(options.Options, func(o *schema.Option) bool {
		return o.Theta == nil || o.Certificate.Closed || o.Theta.Actions != len(x.Actions) ||
			o.Theta.Width != int(x.Size)+1 || slices.ContainsFunc(o.Theta.Weights, isNotFinite)
	})
}

func isNotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// appendWeights appends the tolerance and the weights of each option. An option that is left out gets an infinite
// tolerance, which no q exceeds.
func appendWeights(b []byte, options collect.OptionSet) []byte {
	for i, o := range options.Options {
		tolerance := o.Certificate.Tolerance
		if slices.Contains(options.LeaveOut, uint64(options.First+i)) {
			tolerance = math.MaxFloat64
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(tolerance))
		for _, x := range o.Theta.Weights {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}
