package external

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// protocol is the supported version of the protocol.
const protocol = 1

// declaration is the result of starting a program only for its declaration.
type declaration struct {
	env  schema.Env
	code tracker.Program
}

// declare starts the program for its declaration.
func (c Command) declare(ctx context.Context) (d declaration, err error) {
	p, err := c.startAs(ctx, envs.ErrEnvFailed)
	if err != nil {
		return d, err
	}
	defer p.close()
	p.asksCode, p.asksAdapter = true, c.input != ""
	env, can, err := p.hello(ctx)
	if err != nil {
		return d, err
	}
	return declaration{env, c.describe(env.Name, env.External.Version, can.code)}, nil
}

// abilities lists a program's optional features.
type abilities struct {
	extensions []string
	code       codeAnswer
}

// hello starts the conversation, and checks that the declared environment can stand in a spec.
func (p *process) hello(ctx context.Context) (env schema.Env, can abilities, err error) {
	request := object{"do", "hello", "protocol", protocol}
	if p.asksCode {
		request = append(request, "code", true)
	}
	if len(p.extensions) > 0 {
		request = append(request, "extensions", p.extensions)
	}
	a, err := p.ask(ctx, request)
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
	if err := envs.CheckDeclaration(env); err != nil {
		return env, can, p.fail("", "%w", err)
	}
	if err := checkExtensions(a.Extensions, p.extensions); err != nil {
		return env, can, p.fail(AdviceProtocol, "%w", err)
	}
	can = abilities{extensions: a.Extensions}
	if a.Code != nil {
		if !p.asksCode {
			return env, can, p.fail(AdviceProtocol, "its answer to hello has code, which was not requested")
		}
		can.code = *a.Code
	}
	p.name = env.Name
	return env, can, nil
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

// The extensions of the protocol.
const (
	stepsExtension    = "steps"    // many actions in a request
	framesExtension   = "frames"   // answers have their bulk as bytes
	policiesExtension = "policies" // the program decides as the agent would
	weightsExtension  = "weights"  // the program decides in all real observations by the weights of linear q
	partsExtension    = "parts"    // the bytes are sent while further steps are taken
)

// neededExtensions maps an extension to the one that it needs, which may need a further one.
var neededExtensions = map[string]string{
	framesExtension: stepsExtension, policiesExtension: framesExtension, weightsExtension: policiesExtension,
	partsExtension: framesExtension,
}

// Extensions returns the names of the known extensions, each after the ones that it needs.
func Extensions() []string {
	return []string{stepsExtension, framesExtension, policiesExtension, weightsExtension, partsExtension}
}

// checkExtensions returns an error unless the extensions that a program uses were offered and come with
// those that they need.
func checkExtensions(used, offered []string) error {
	for i, name := range used {
		if !slices.Contains(offered, name) {
			return fmt.Errorf("it uses the extension %q, which was not offered", truncate(name))
		}
		if slices.Contains(used[:i], name) {
			return fmt.Errorf("it uses the extension %q twice", name)
		}
	}
	for _, name := range used {
		if needed := neededExtensions[name]; needed != "" && !slices.Contains(used, needed) {
			return fmt.Errorf("it uses the extension %q without %q", name, needed)
		}
	}
	return nil
}
