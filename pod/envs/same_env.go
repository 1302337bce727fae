package envs

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// CheckSameEnv returns an error that wraps [ErrEnvMismatch], and says what differs, if a program
// declares another environment than that of the spec.
func CheckSameEnv(spec, env schema.Env) error {
	if reflect.DeepEqual(spec, env) {
		return nil
	}
	var parts []string
	for _, p := range envFields(spec, env) {
		if p.spec != p.env {
			parts = append(parts, fmt.Sprintf("%s %s, not %s", p.name, p.env, p.spec))
		}
	}
	return schema.Hint(fmt.Errorf("%w: %s", ErrEnvMismatch, strings.Join(parts, "; ")),
		"give the command with which the run was started, and the same versions of its dependencies")
}

// envField is a field of an environment, as the spec and the program have it.
type envField struct{ name, spec, env string }

func envFields(spec, env schema.Env) []envField {
	a, b := cmp.Or(spec.External, &schema.External{}), env.External
	parts := []envField{
		{"name", spec.Name, env.Name},
		{"version", a.Version, b.Version},
		{"actions", fmt.Sprintf("%q", a.Actions), fmt.Sprintf("%q", b.Actions)},
		{"observations", fmt.Sprintf("%s of %d", a.Observes, a.Size), fmt.Sprintf("%s of %d", b.Observes, b.Size)},
		{"reward", strconv.FormatBool(a.Reward), strconv.FormatBool(b.Reward)},
	}
	both := map[string]string{}
	maps.Copy(both, spec.Text)
	maps.Copy(both, env.Text)
	for _, name := range (schema.Env{Params: map[string]int64{}, Text: both}).Parameters() {
		parts = append(parts, envField{name, orNone(spec.Text, name), orNone(env.Text, name)})
	}
	if fmt.Sprint(a.Features) != fmt.Sprint(b.Features) {
		parts = append(parts, envField{"names of features", "those of the run", "others"})
	}
	return parts
}

func orNone(m map[string]string, name string) string {
	if value, ok := m[name]; ok {
		return fmt.Sprintf("%q", value)
	}
	return "none"
}
