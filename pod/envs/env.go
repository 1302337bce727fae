package envs

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// An Env is the state space that an agent acts in: states 0…S−1, primitive actions 0…A−1 and feature vectors φ(s).
// capabilities.go has the optional interfaces of environments.
type Env interface {
	States() int        // S
	Actions() []string  // names, in action order
	Features() []string // names, in feature order

	// Observe sets dst to φ(s).
	Observe(s int, dst []float64)

	// Potential sets w(s) = eᵀφ(s), the terms added in feature order.
	Potential(e, w []float64)
}

// A Parameter is an integer parameter of a registered environment.
type Parameter struct {
	Name    string `json:"name"` // as in a spec, and as a flag
	Default int64  `json:"default"`
	Min     int64  `json:"min"`
	Max     int64  `json:"max"`
	Usage   string `json:"usage"` // what it is, in a few words
}

// A TextParameter is a parameter of a registered environment that is text: one of Values or,
// if there are none, any text that the environment accepts.
type TextParameter struct {
	Name    string   `json:"name"`
	Default string   `json:"default"`
	Values  []string `json:"values"`
	Usage   string   `json:"usage"`
}

// A RegisteredEnv is an environment that specs name by its name, its version and its parameters:
// one that is part of podtrack, or one of [RegisterEnv]. A parameter has the name of no field of a spec and of no
// measure of [schema.MeasureNames], since filters and columns find it by its name.
type RegisteredEnv struct {
	Name           string
	Version        uint64
	Usage          string
	States         string // how its states are numbered
	Parameters     []Parameter
	TextParameters []TextParameter

	// Build returns the environment, given parameters within their bounds. It is called often,
	// so anything slow, such as a model, should be built when it is first needed.
	Build func(schema.Env) (Env, error)
}

func numbered(name string, n int) []string {
	return namesOf(n, func(i int) string { return fmt.Sprintf("%s%d", name, i) })
}

// namesOf returns the names of 0 to n−1.
func namesOf(n int, name func(i int) string) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = name(i)
	}
	return names
}
