package pod

import "github.com/podtrack/podtrack/schema"

// methods are what computes the methods that package schema has registered under the same
// names and versions.
var methods = registerMethods()

// methodEntry is what computes a method.
type methodEntry struct {
	newMatrix func(states int, gamma float64) StateMatrix // nil if D has the rows of transitions

	// smallValues is true if the vectors fall by a factor with each step away from where
	// the agent was, soon far below any tolerance.
	smallValues bool
}

func registerMethods() *schema.Registry[methodEntry] {
	r := schema.NewRegistry[methodEntry]("method")
	r.Register(string(schema.POD), 1, methodEntry{})
	r.Register(string(schema.Laplacian), 1, methodEntry{
		newMatrix: func(states int, _ float64) StateMatrix { return newAdjacency(states) },
	})
	r.Register(string(schema.Successor), 1, methodEntry{
		newMatrix:   func(states int, gamma float64) StateMatrix { return newSuccessor(states, gamma) },
		smallValues: true,
	})
	return r
}
