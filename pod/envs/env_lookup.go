package envs

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// Advice of the errors of this file.
const (
	AdviceEnvOfMap      = "name the grid, with %q as its map"
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
	} else if !known && slices.Contains(MapNames(), name) {
		err = schema.Hint(err, AdviceEnvOfMap, name)
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
	if len(e.Params) != len(b.Parameters) || len(e.Text) != len(b.TextParameters) {
		return nil, schema.Hint(fmt.Errorf("%w: environment %q takes other parameters than %v",
			schema.ErrSpec, e.Name, e.Parameters()), AdviceEnvParameters)
	}
	return buildEnv(b, e)
}

// CheckSameEnv returns an error that wraps [ErrEnvMismatch], or [ErrOtherVersion], and says what differs, if a program
// declares another environment than the spec's.
func CheckSameEnv(spec, env schema.Env) error {
	if reflect.DeepEqual(spec, env) {
		return nil
	}
	kind := ErrEnvMismatch
	if spec.IsVersionOf(env) {
		kind = ErrOtherVersion
	}
	var parts []string
	compare := func(name, ofSpec, own string) {
		if ofSpec != own {
			parts = append(parts, fmt.Sprintf("%s %s, not %s", name, own, ofSpec))
		}
	}
	a, b := cmp.Or(spec.External, &schema.External{}), env.External
	compare("name", spec.Name, env.Name)
	compare("version", a.Version, b.Version)
	compare("actions", fmt.Sprintf("%q", a.Actions), fmt.Sprintf("%q", b.Actions))
	compare("observations", fmt.Sprintf("%s of %d", a.Observes, a.Size), fmt.Sprintf("%s of %d", b.Observes, b.Size))
	compare("reward", strconv.FormatBool(a.Reward), strconv.FormatBool(b.Reward))
	both := map[string]string{}
	maps.Copy(both, spec.Text)
	maps.Copy(both, env.Text)
	for _, name := range (schema.Env{Params: map[string]int64{}, Text: both}).Parameters() {
		compare(name, orNone(spec.Text, name), orNone(env.Text, name))
	}
	if fmt.Sprint(a.Features) != fmt.Sprint(b.Features) {
		compare("names of features", "those of the run", "others")
	}
	return schema.Hint(fmt.Errorf("%w: %s", kind, strings.Join(parts, "; ")),
		"give the command with which the run was started, and the same versions of its dependencies")
}

func orNone(m map[string]string, name string) string {
	if value, ok := m[name]; ok {
		return fmt.Sprintf("%q", value)
	}
	return "none"
}

// maxObservationText is the length up to which an observation is used as the name of its state.
const maxObservationText = 40

// FormatState returns the name of a state: as the environment names it, by its bits on a ring, by its observation, or
// else its number.
func FormatState(env Env, s int) string {
	if s < 0 || s >= env.States() {
		return strconv.Itoa(s)
	}
	if _, ok := As[*Ring](env); ok {
		return fmt.Sprintf("%0*b", bits.Len(uint(env.States()-1)), s)
	}
	if x, ok := As[*External](env); ok {
		if text := x.StateText(s); len(text) <= maxObservationText {
			return text
		}
		return "s" + strconv.Itoa(s)
	}
	if named, ok := As[stateNamer](env); ok {
		return named.StateName(s)
	}
	return strconv.Itoa(s)
}
