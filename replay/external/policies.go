package external

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
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
	// noOption is the action where an option cannot start, or ends: the byte of [schema.Terminate].
	noOption = schema.Terminate + 1<<8
)

// sentPolicies is what a program knows of the options.
type sentPolicies struct {
	optionsSent    bool
	tooManyOptions bool
	byWeights      bool // it knows the weights of all options, which act by these in every state
	stopsAtUnknown bool // nothing follows from an observation that it does not know
	sent           int  // states whose actions it knows
	bytes          int  // about what they take
	noRoom         bool // for more

	members []byte // of the next request: states that are not sent yet
}

// knows reports whether the program knows what to do in a state.
func (p *sentPolicies) knows(state int) bool {
	return !p.tooManyOptions && (p.byWeights || state < p.sent || !p.stopsAtUnknown)
}

// sendPolicies sends the actions of all options in the states that became known since the last time. The last of
// them, if they are not many, are left in w.policies.members, to be sent with the next request.
func (w *runningEnv) sendPolicies(ctx context.Context, walk collect.Walk) error {
	p, options := &w.policies, walk.Options
	if !p.optionsSent {
		p.optionsSent, p.tooManyOptions = true, len(options.Options) > maxPolicies
		p.byWeights = w.uses(weightsExtension) && walk.ByFeatures && w.canActByWeights(options)
		p.stopsAtUnknown = !p.byWeights && canExtend(options)
		if !p.tooManyOptions {
			if err := w.sendOptions(ctx, options); err != nil {
				return err
			}
		}
	}
	if !p.stopsAtUnknown {
		p.skipStates(w.observations.States(), options)
	}
	for !p.tooManyOptions && !p.byWeights && !p.noRoom && p.sent < w.observations.States() {
		if err := w.flushPolicies(ctx); err != nil {
			return err
		}
		p.addStates(w.observations, options)
	}
	return ctx.Err()
}

// flushPolicies sends the members that are left, if there are any, in a request of their own.
func (w *runningEnv) flushPolicies(ctx context.Context) error {
	if len(w.policies.members) == 0 {
		return ctx.Err()
	}
	_, err := w.exchange(ctx, `"do":"policies"`+string(w.policies.members))
	w.policies.members = w.policies.members[:0]
	return err
}

// canExtend reports whether an option's policy extends to states that become known.
func canExtend(options collect.OptionSet) bool {
	for _, o := range options.Options {
		if o.Theta != nil {
			return true
		}
	}
	return false
}

// sendOptions sends the step limit of each option, and the weights of all if the program acts by them.
func (w *runningEnv) sendOptions(ctx context.Context, options collect.OptionSet) error {
	limits := make([]string, len(options.Options))
	for i, o := range options.Options {
		limits[i] = fmt.Sprint(o.Certificate.MaxSteps)
	}
	request := `"do":"options","limits":[` + strings.Join(limits, ",") + `]`
	if w.policies.byWeights {
		request += `,"weights":"` + base64.StdEncoding.EncodeToString(appendWeights(nil, options)) + `"`
	}
	_, err := w.exchange(ctx, request)
	return err
}

// skipStates skips the last states if no option has an action there because all are older.
func (p *sentPolicies) skipStates(states int, options collect.OptionSet) {
	for _, o := range options.Options {
		if p.sent < len(o.Policy) {
			return
		}
	}
	p.sent = states
}

// addStates sets the members of a request to the actions in some of the states. Those in which no option has one
// are left out.
func (p *sentPolicies) addStates(seen *envs.ObservedStates, options collect.OptionSet) {
	size, count := seen.ObservationSize(), len(options.Options)
	most := min(seen.States()-p.sent, policyRequestBytes/(size+count)+1)
	observations, actions := make([]byte, 0, most*size), make([]byte, 0, most*count)
	for ; p.sent < seen.States() && len(observations)+len(actions) < policyRequestBytes; p.sent++ {
		at := len(actions)
		actions = options.AppendActions(actions, p.sent)
		if !p.stopsAtUnknown && isNowhere(actions[at:]) {
			actions = actions[:at]
			continue
		}
		takes := size + 4*count + policyOverhead
		if p.bytes+takes > maxPolicyBytes {
			p.noRoom, p.stopsAtUnknown = true, true
			actions = actions[:at]
			break
		}
		p.bytes += takes
		observations = seen.AppendObservation(observations, p.sent)
	}
	p.members = p.members[:0]
	if len(observations) > 0 {
		p.members = base64.StdEncoding.AppendEncode(append(p.members, `,"observations":"`...), observations)
		p.members = base64.StdEncoding.AppendEncode(append(p.members, `","policies":"`...), actions)
		p.members = append(p.members, '"')
	}
}

// isNowhere reports whether no option has an action.
func isNowhere(actions []byte) bool {
	return !slices.ContainsFunc(actions, func(a byte) bool { return a != noOption })
}

const (
	// maxWeights bounds the weights of all options of a program that acts by them. With as many, Python takes about
	// half the time for a step that an exchange takes.
	maxWeights = 1 << 12
	// maxWeightedFeatures bounds the terms of a sum.
	maxWeightedFeatures = 64
)

// canActByWeights reports whether the actions of all options follow from their weights in every real observation, and
// the program is best told these.
func (w *runningEnv) canActByWeights(options collect.OptionSet) bool {
	x := w.observer.declared
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

// appendWeights appends the tolerance and the weights of each option. No q is above the tolerance of one that is left
// out.
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
