package envs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// environments are the environments of this program. Each of podtrack's is registered by the init function of
// its file; [RegisterEnv] adds others.
var environments = schema.NewRegistry[RegisteredEnv]("environment")

// registerBuiltin registers an environment of podtrack. It panics if that version of that name is registered already.
func registerBuiltin(e RegisteredEnv) {
	if !environments.Add(e.Name, e.Version, e) {
		panic(fmt.Sprintf("pod: version %d of environment %q is registered twice", e.Version, e.Name))
	}
}

// RegisteredEnvs returns the newest version of each environment of this program: those of podtrack, the
// paper's first and the others by name, followed by those of [RegisterEnv].
func RegisteredEnvs() []RegisteredEnv {
	all := environments.Values()
	slices.SortStableFunc(all, func(a, b RegisteredEnv) int {
		before, name := a.place()
		after, other := b.place()
		return cmp.Or(cmp.Compare(before, after), cmp.Compare(name, other))
	})
	return all
}

// place returns the sort key of an environment in lists: the number, then the text.
func (r RegisteredEnv) place() (group int, name string) {
	switch {
	case isOwned(r.Name):
		return 3, "" // in the order of their registration
	case r.Name == RowsName:
		return 2, "" // no agent acts in it
	case r.Name == PaperEnv:
		return 0, ""
	}
	return 1, r.Name
}

// EnvNames returns the names of [RegisteredEnvs].
func EnvNames() []string {
	return textfmt.Map(RegisteredEnvs(), func(e RegisteredEnv) string { return e.Name })
}

// ownedNamePattern matches the names of environments that are not podtrack's own.
var ownedNamePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)+$`)

// isOwned reports whether a name is one that podtrack's own environments never have.
func isOwned(name string) bool { return ownedNamePattern.MatchString(name) }

// RegisterEnv makes an environment known to this program, so that a spec can name it. Its name is
// OWNER/NAME, as the path of a Go package, in lower case: podtrack's own environments have no
// slash in theirs, so that none will ever have the same. Everything that reads the run needs the
// environment under the same name and version, registered before; a program without it can list
// and check the run, but not execute, compare or audit it.
//
// A name and version mean the same transitions and features for ever: a change of either is another
// version. RegisterEnv returns an error that wraps [schema.ErrSpec] if the definition is not
// complete, or if that name and version are registered already.
func RegisterEnv(e RegisteredEnv) error {
	if err := e.check(); err != nil {
		return err
	}
	if !environments.Add(e.Name, e.Version, e) {
		return schema.Hint(fmt.Errorf("%w: version %d of environment %q is registered already", schema.ErrSpec,
			e.Version, e.Name), "register each environment once; what changes in it raises its version")
	}
	return nil
}

// check returns an error unless the environment can be registered.
func (r RegisteredEnv) check() error {
	switch {
	case !isOwned(r.Name) || len(r.Name) > maxNameBytes:
		return schema.Hint(fmt.Errorf("%w: the name %.80q of an environment", schema.ErrSpec, r.Name),
			"choose a name such as example.org/maze: lower-case letters, digits and . _ - in parts with slashes between "+
				"them, of %d characters together at most", maxNameBytes)
	case r.Version < 1:
		return schema.Hint(fmt.Errorf("%w: version 0 of environment %q", schema.ErrSpec, r.Name), "count versions from 1")
	case r.Build == nil:
		return schema.Hint(fmt.Errorf("%w: environment %q has no Build", schema.ErrSpec, r.Name),
			"give the function that makes it")
	}
	var names []string
	for _, p := range r.Parameters {
		if p.Min > p.Default || p.Default > p.Max {
			return r.parameterError(p.Name, fmt.Sprintf("its default %d is not from %d to %d", p.Default, p.Min, p.Max))
		}
		names = append(names, p.Name)
	}
	for _, p := range r.TextParameters {
		if p.Values != nil && !slices.Contains(p.Values, p.Default) {
			return r.parameterError(p.Name, fmt.Sprintf("its default %q is none of %q", p.Default, p.Values))
		}
		names = append(names, p.Name)
	}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			return r.parameterError(name, "there are two of that name")
		case !schema.IsParameterName(name):
			return r.parameterError(name, schema.ParameterForm)
		case slices.Contains(fieldNames(), name):
			return r.parameterError(name, "every spec has a field of that name")
		case slices.Contains(schema.MeasureNames(), name):
			return r.parameterError(name, "iterations have a measure of that name")
		}
	}
	return nil
}

func (r RegisteredEnv) parameterError(name, fault string) error {
	return fmt.Errorf("%w: parameter %.80q of environment %q: %s", schema.ErrSpec, name, r.Name, fault)
}
