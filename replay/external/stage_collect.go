package external

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// collectPayload bounds the payload of an answer to collect, in bytes, unless a single step has more.
const collectPayload = 64 << 20

// optionBytes is the size of an option's number in a payload.
const optionBytes = 4

// collectOption is an option as it is sent to a collector.
type collectOption struct {
	stagePurpose
	Limit  int64   `json:"limit,omitempty"` // of the steps of a call
	Start  *int    `json:"start,omitempty"` // the only state in which it can be called
	Policy []int16 `json:"policy"`
}

// requestSteps asks for the next steps of an iteration.
func requestSteps(_ context.Context, p *stageProcess, in pod.CollectInput) (object, error) {
	form := newCollectForm(in)
	numbers := max(1, len(form.declared.Features)) // of an observation as JSON; one of bits is a text, which is shorter
	p.expect(form.most*(4+numbers), form.maxBytes()+optionBytes*form.most)
	request := append(newRequest("collect", in.K, in.Spec), "first", in.First, "steps", form.most)
	if p.recorded {
		request = append(request, "link", in.Link)
	}
	if _, grows := envs.As[envs.GrowingEnv](in.Env); !grows {
		request = append(request, "state", in.State)
	}
	if p.declared[schema.CollectStage].Input == schema.InputOptions && in.First == 0 {
		request = append(request, optionMembers(in)...)
	}
	return request, nil
}

// readSteps returns the steps in an answer.
func readSteps(p *stageProcess, in pod.CollectInput, a answer) (pod.CollectOutput, error) {
	if a.End && p.recorded && in.First == 0 {
		return pod.CollectOutput{}, pod.ErrCollectedAll
	}
	form := newCollectForm(in)
	c := collectAnswer{form: form, in: in, observer: observer{declared: form.declared}}
	if x, grows := envs.As[envs.GrowingEnv](in.Env); grows {
		c.seen = x.Observed()
	}
	out, err := c.read(a)
	if err != nil {
		err = fmt.Errorf("is wrong: %w", err)
	}
	return out, err
}

// newCollectForm returns the form of an answer: that of steps in an external environment. States of a known environment
// count as discrete observations.
func newCollectForm(in pod.CollectInput) batchForm {
	f := batchForm{declared: schema.External{
		Observes: schema.Discrete, Size: int64(in.Env.States()), Actions: in.Env.Actions(), Reward: in.Spec.Env.HasReward(),
	}, size: 4}
	if x, grows := envs.As[envs.GrowingEnv](in.Env); grows {
		f.declared, f.size = *in.Spec.Env.External, x.Observed().ObservationSize()
	}
	f.most = max(1, min(in.Steps, collectPayload/(f.stepBytes()+optionBytes+2*f.size)))
	return f
}

// optionMembers returns the members that tell a program the options, if there are any, and the observation of each
// state, if states are discovered.
func optionMembers(in pod.CollectInput) (members object) {
	var options []collectOption
	envs.ExtendPolicies(in.Env, in.Options.Options)
	for i, o := range in.Options.Options {
		if !in.Options.Contains(in.Options.First + i) {
			continue
		}
		told := collectOption{newStagePurpose(in.Options.First+i, o.Purpose), o.Certificate.MaxSteps, o.Purpose.Start,
			make([]int16, len(o.Policy))}
		for s, a := range o.Policy {
			told.Policy[s] = int16(a)
		}
		options = append(options, told)
	}
	if len(options) == 0 {
		return nil
	}
	members = object{"options", options}
	if x, grows := envs.As[envs.GrowingEnv](in.Env); grows {
		var observations []any // by state
		for s := range x.States() {
			observations = append(observations, jsonObservation(in, x.Observed(), s))
		}
		members = append(members, "observations", observations)
	}
	return members
}

// jsonObservation returns the observation of a state as PROTOCOL.md has it.
func jsonObservation(in pod.CollectInput, x *envs.ObservedStates, s int) any {
	switch b := x.AppendObservation(nil, s); in.Spec.Env.External.Observes {
	case schema.Discrete:
		return binary.LittleEndian.Uint32(b)
	case schema.Binary:
		text := make([]byte, in.Spec.Env.External.Size)
		for i := range text {
			text[i] = '0' + b[i/8]>>(i%8)&1
		}
		return string(text)
	}
	values := make([]float64, in.Spec.Env.External.Size)
	x.Observe(s, values)
	return values
}

// collectAnswer reads the steps in an answer.
type collectAnswer struct {
	form     batchForm
	in       pod.CollectInput
	observer observer
	seen     *envs.ObservedStates // nil in a known environment
}

func (c *collectAnswer) read(a answer) (out pod.CollectOutput, err error) {
	if out.Start, err = c.readStart(a); err != nil {
		return out, err
	}
	if a.payload != nil {
		return out, c.readFrame(a, &out)
	}
	return out, c.readLists(a, &out)
}

// readStart returns the state before the iteration's first step. Later answers have none.
func (c *collectAnswer) readStart(a answer) (int, error) {
	known := envs.HasModel(c.in.Env)
	switch {
	case c.in.First > 0 && a.Observation != nil:
		return 0, errors.New("an initial observation, although its first step is not the iteration's first")
	case c.in.First > 0:
		return 0, nil
	case a.Observation == nil && known:
		return c.in.State, nil
	}
	b, err := c.observer.read(a.Observation, nil)
	if err != nil {
		return 0, fmt.Errorf("before the first step %w", err)
	}
	return c.state(b)
}

// state returns the state of an observation.
func (c *collectAnswer) state(b []byte) (int, error) {
	if c.seen != nil {
		return c.seen.Intern(b)
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

func (c *collectAnswer) readFrame(a answer, out *pod.CollectOutput) error {
	if a.Steps == nil {
		return errors.New("a payload without the number of steps")
	}
	n := *a.Steps
	if n < 1 || n > c.form.most || len(a.payload) < optionBytes*n {
		return fmt.Errorf("a payload of %d bytes for %d steps, want %d steps", len(a.payload), n, c.form.most)
	}
	steps, options := a.payload[:len(a.payload)-optionBytes*n], a.payload[len(a.payload)-optionBytes*n:]
	b, err := c.form.readFrame(steps, n)
	if err != nil {
		return err
	}
	out.Options = make([]int32, n)
	for i := range out.Options {
		out.Options[i] = int32(binary.LittleEndian.Uint32(options[optionBytes*i:]))
	}
	return c.use(&b, out)
}

func (c *collectAnswer) readLists(a answer, out *pod.CollectOutput) error {
	if len(a.Taken) < 1 || len(a.Taken) > c.form.most {
		return fmt.Errorf("%d steps in taken, want 1 to %d", len(a.Taken), c.form.most)
	}
	actions := make([]uint8, len(a.Taken))
	for i, action := range a.Taken {
		if action < 0 || action >= len(c.form.declared.Actions) {
			return fmt.Errorf("action %d in step %[3]d; there are %[2]d actions", action, len(c.form.declared.Actions), i)
		}
		actions[i] = uint8(action)
	}
	if out.Options = a.Options; a.Ends == nil {
		a.Ends = make([]uint, len(actions))
	}
	if a.Observations == nil && envs.ActionsDetermineStates(c.in.Env) {
		out.Actions = actions
		return nil
	}
	b, err := c.form.readLists(a, &c.observer)
	if err == nil && len(b.ends) != len(actions) {
		err = fmt.Errorf("got %d episode ends for %d steps", len(b.ends), len(actions))
	}
	if err != nil {
		return err
	}
	b.actions = actions
	return c.use(&b, out)
}

// use converts the results of steps to the output.
func (c *collectAnswer) use(b *batch, out *pod.CollectOutput) error {
	out.Actions, out.Rewards = b.actions, b.rewards
	out.Next, out.Ends = make([]int, 0, len(b.ends)), make([]envs.EpisodeEnd, 0, len(b.ends))
	for range b.ends {
		o, err := b.next(c.form.size, c.state)
		if err != nil {
			return err
		}
		out.Next, out.Ends = append(out.Next, o.State), append(out.Ends, o.End)
		if o.End != envs.NotEnded {
			out.Starts = append(out.Starts, o.NextStart)
		}
	}
	return nil
}
