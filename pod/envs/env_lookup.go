package envs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// Advice of the errors of this file.
const (
	AdviceEnvNames      = "name a built-in environment: %s"
	AdviceEnvParameters = "give the environment's parameters"
	AdviceRegisterEnv   = "use the Go program that registers environment %s"
)

// lookupEnv returns a registered environment. The error of an unknown one lists those that exist, or says that the name
// belongs to another program.
func lookupEnv(name string, version uint64) (RegisteredEnv, error) {
	b, err := environments.Lookup(name, version)
	if _, newest, known := environments.Newest(name); known && err != nil && isOwned(name) {
		return b, schema.Hint(fmt.Errorf("%w: this program has version %d of environment %q, not version %d",
			schema.ErrSpec, newest, name, version), AdviceRegisterEnv, name)
	} else if !known && isOwned(name) {
		return b, schema.Hint(fmt.Errorf("%w: this program does not have environment %q", schema.ErrSpec, name),
			AdviceRegisterEnv, name)
	} else if !known {
		err = schema.Hint(err, AdviceEnvNames,
			schema.Choice{Word: name, Kind: "environments", Known: EnvNames()})
	}
	return b, err
}

// DefaultEnv returns the named environment with its default parameters.
func DefaultEnv(name string) (schema.Env, error) {
	_, version, _ := environments.Newest(name)
	b, err := lookupEnv(name, version)
	if err != nil {
		return schema.Env{}, err
	}
	params := map[string]int64{}
	for _, p := range b.Parameters {
		params[p.Name] = p.Default
	}
	e := schema.Env{Name: b.Name, Version: b.Version, Params: params}
	for _, c := range b.TextParameters {
		if e.Text == nil {
			e.Text = map[string]string{}
		}
		e.Text[c.Name] = c.Default
	}
	return e, nil
}

// NewEnv returns the environment that e names, after checking every parameter.
func NewEnv(e schema.Env) (Env, error) {
	if e.External != nil {
		return newExternalEnv(e)
	}
	b, err := lookupEnv(e.Name, e.Version)
	if err != nil {
		return nil, err
	}
	for _, p := range b.Parameters {
		v, ok := e.Params[p.Name]
		if !ok || v < p.Min || v > p.Max {
			return nil, schema.Hint(fmt.Errorf("%w: %s %d of environment %q", schema.ErrSpec, p.Name, v, e.Name),
				"%s is %s, %d to %d", p.Name, p.Usage, p.Min, p.Max)
		}
	}
	for _, c := range b.TextParameters {
		if v, ok := e.Text[c.Name]; !ok || c.Values != nil && !slices.Contains(c.Values, v) {
			return nil, schema.Hint(fmt.Errorf("%w: %s %q of environment %q", schema.ErrSpec, c.Name, v, e.Name),
				"%s is %s: one of %s", c.Name, c.Usage, strings.Join(c.Values, ", "))
		}
	}
	if len(e.Params) != len(b.Parameters) || len(e.Text) != len(b.TextParameters) || e.External != nil {
		return nil, schema.Hint(fmt.Errorf("%w: environment %q takes other parameters than %v",
			schema.ErrSpec, e.Name, e.Parameters()), AdviceEnvParameters)
	}
	return buildEnv(b, e)
}
