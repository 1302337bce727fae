package external

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// protocol is the supported version of the protocol.
const protocol = 1

// QueryEnv returns the environment that the program declares.
func (c Command) QueryEnv(ctx context.Context) (schema.Env, error) {
	p, err := c.start(ctx)
	if err != nil {
		return schema.Env{}, err
	}
	defer p.close()
	env, _, err := p.hello(ctx)
	return env, err
}

// abilities has what a program can do beyond what each must.
type abilities struct {
	snapshot   bool // it can save and restore
	extensions []string
}

// hello starts the conversation, and checks that the declared environment can stand in a spec.
func (p *process) hello(ctx context.Context) (env schema.Env, can abilities, err error) {
	a, err := p.request(ctx, helloRequest(p.extensions))
	if err != nil {
		return env, can, err
	}
	switch {
	case a.Protocol == nil || *a.Protocol != protocol:
		return env, can, p.fail("write one that does; replay/external/PROTOCOL.md says how",
			"it does not speak version %d of the protocol", protocol)
	case a.Name == nil || a.Version == nil || a.Observes == nil:
		return env, can, p.fail(AdviceProtocol, "its answer to hello lacks a name, a version or what it observes")
	}
	env = envFromAnswer(a)
	if env.External.Reward, err = declaresReward(a.Reward); err != nil {
		return env, can, p.fail(AdviceProtocol, "%w", err)
	}
	if err := pod.CheckDeclaration(env); err != nil {
		return env, can, p.fail("", "%w", err)
	}
	if err := checkExtensions(a.Extensions, p.extensions); err != nil {
		return env, can, p.fail(AdviceProtocol, "%w", err)
	}
	p.name = env.Name
	return env, abilities{snapshot: a.Snapshot, extensions: a.Extensions}, nil
}

// envFromAnswer returns the environment that an answer to hello declares.
func envFromAnswer(a answer) schema.Env {
	x := schema.External{
		Version: *a.Version, Actions: a.Actions, Observes: schema.Observation(a.Observes.Kind),
		Features: a.Observes.Features, Size: a.Observes.N,
	}
	if x.Size == 0 {
		x.Size = int64(len(x.Features))
	}
	if x.Features == nil {
		x.Features = []string{}
	}
	env := schema.Env{Name: *a.Name, Params: map[string]int64{}, External: &x}
	if len(a.Parameters) > 0 {
		env.Text = a.Parameters
	}
	return env
}
