package schema

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Registry holds what specs can name of one kind, such as the learners, by name, and environments by
// name and version.
//
// Specs are read and checked without package pod. So a method, selection or learner is registered
// twice under one name: in this package, what it means for a spec and its records; in pod, what
// computes it. A test of pod makes sure that both exist. An environment is registered in pod alone.
//
// Whatever is registered stays: records of it are verified for ever. Several goroutines may use a
// registry.
type Registry[T any] struct {
	what    string // what the names are of, as errors say it
	mu      sync.RWMutex
	entries []registered[T] // which only grow
}

type registered[T any] struct {
	name    string
	version uint64
	value   T
}

// NewRegistry returns an empty registry; what says what its names are of.
func NewRegistry[T any](what string) *Registry[T] { return &Registry[T]{what: what} }

// Register adds a value whose name has no other version. It panics if the name is registered already.
func (r *Registry[T]) Register(name string, value T) {
	if !r.Add(name, 1, value) {
		panic(fmt.Sprintf("schema: %s %q is registered twice", r.what, name))
	}
}

// Add adds a value unless the name has that version already, and reports whether it did.
func (r *Registry[T]) Add(name string, version uint64, value T) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.name == name && e.version == version {
			return false
		}
	}
	r.entries = append(r.entries, registered[T]{name, version, value})
	return true
}

// list returns what is registered now.
func (r *Registry[T]) list() []registered[T] {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.entries
}

// Lookup returns the value of a name and version, or [ErrSpec].
func (r *Registry[T]) Lookup(name string, version uint64) (value T, err error) {
	for _, e := range r.list() {
		if e.name == name && e.version == version {
			return e.value, nil
		}
	}
	if _, newest, ok := r.Newest(name); ok {
		return value, Hint(fmt.Errorf("%w: version %d of %s %q", ErrSpec, version, r.what, name),
			"this program has version %d of it", newest)
	}
	err = fmt.Errorf("%w: unknown %s %q", ErrSpec, r.what, name)
	if builtin := r.BuiltinNames(); len(builtin) < len(r.Names()) {
		return value, Advise(err, AdviceStageNames, strings.Join(builtin, ", "))
	}
	return value, Hint(err, "use %s", textfmt.Alternatives(r.Names()))
}

// Find returns the newest version of a name, or [ErrSpec].
func (r *Registry[T]) Find(name string) (value T, err error) {
	_, version, _ := r.Newest(name)
	return r.Lookup(name, version)
}

// Newest returns the newest version of a name, and whether there is one.
func (r *Registry[T]) Newest(name string) (value T, version uint64, ok bool) {
	for _, e := range r.list() {
		if e.name == name && (!ok || e.version > version) {
			value, version, ok = e.value, e.version, true
		}
	}
	return value, version, ok
}

// Names returns the names in the order of their registration.
func (r *Registry[T]) Names() (names []string) {
	for _, e := range r.list() {
		if !slices.Contains(names, e.name) {
			names = append(names, e.name)
		}
	}
	return names
}

// BuiltinNames returns the names without external, which stands for one that a program declares.
func (r *Registry[T]) BuiltinNames() []string {
	return slices.DeleteFunc(r.Names(), func(name string) bool { return name == string(ExternalMethod) })
}

// Values returns the newest version of each name, in the order of their registration.
func (r *Registry[T]) Values() (values []T) {
	for _, name := range r.Names() {
		v, _, _ := r.Newest(name)
		values = append(values, v)
	}
	return values
}
