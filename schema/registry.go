package schema

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Registry holds the values of one kind that specs can name, such as the learners. A value has a name and a
// version; only environments have several versions of one name.
//
// Specs are read and checked without package pod. So a method, selection or learner is twice under one name: in this
// package, what it means for a spec and its records; in pod, what computes it. A test of pod makes sure that both
// exist. An environment is registered in pod alone.
//
// Nothing is ever removed, since records that name an entry must remain verifiable. A registry is safe for
// concurrent use.
type Registry[T any] struct {
	what    string // noun for an entry, in errors
	mu      sync.RWMutex
	entries []registered[T] // append-only
}

type registered[T any] struct {
	name    string
	version uint64
	value   T
}

// Named returns an entry of a registry whose name has one version.
func Named[K ~string, T any](name K, value T) registered[T] {
	return registered[T]{string(name), 1, value}
}

// NewRegistry returns a registry with some entries; what is a noun for its entries, used in errors.
func NewRegistry[T any](what string, entries ...registered[T]) *Registry[T] {
	return &Registry[T]{what: what, entries: entries}
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
		return value, Hint(fmt.Errorf("%w: %s %q has no version %d", ErrSpec, r.what, name, version),
			"this program has version %d", newest)
	}
	err = fmt.Errorf("%w: unknown %s %q", ErrSpec, r.what, name)
	if builtin := r.BuiltinNames(); len(builtin) < len(r.Names()) {
		return value, Hint(err, AdviceStageNames, strings.Join(builtin, ", "))
	}
	return value, Hint(err, "use %s", textfmt.Alternatives(r.Names()))
}

// Find returns the newest version of a name, or [ErrSpec].
func (r *Registry[T]) Find(name string) (value T, err error) {
	_, version, _ := r.Newest(name)
	return r.Lookup(name, version)
}

// Newest returns the newest version of a name, and whether the name is registered.
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

// BuiltinNames returns the names except "external", which stands for what a program declares.
func (r *Registry[T]) BuiltinNames() []string {
	return slices.DeleteFunc(r.Names(), func(name string) bool { return name == string(ExternalMethod) })
}

// builtin yields the names of [Registry.BuiltinNames], each with the newest version of its value.
func (r *Registry[T]) builtin() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, name := range r.BuiltinNames() {
			if v, _, _ := r.Newest(name); !yield(name, v) {
				return
			}
		}
	}
}

// Values returns the newest version of each name, in the order of their registration.
func (r *Registry[T]) Values() (values []T) {
	for _, name := range r.Names() {
		v, _, _ := r.Newest(name)
		values = append(values, v)
	}
	return values
}
