package pod

import "github.com/podtrack/podtrack/schema"

// methods are what computes the methods that package schema has registered under the same
// names and versions.
var methods = registerMethods()

// methodEntry is what computes a method.
type methodEntry struct {
	newMatrix func(env Env, spec schema.Spec) StateMatrix // nil if D has the rows of transitions

	// smallValues is true if the vectors fall by a factor with each step away from where
	// the agent was, soon far below any tolerance.
	smallValues bool
}

func registerMethods() *schema.Registry[methodEntry] {
	r := schema.NewRegistry[methodEntry]("method")
	r.Register(string(schema.POD), 1, methodEntry{})
	r.Register(string(schema.Laplacian), 1, methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newAdjacency(spec) },
	})
	r.Register(string(schema.Successor), 1, methodEntry{
		newMatrix:   func(_ Env, spec schema.Spec) StateMatrix { return newSuccessor(spec) },
		smallValues: true,
	})
	r.Register(string(schema.SuccessorFeatures), 2, methodEntry{
		newMatrix:   func(env Env, spec schema.Spec) StateMatrix { return newSuccessorFeatures(env, spec) },
		smallValues: true,
	})
	r.Register(string(schema.Covering), 2, methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newCovering(spec) },
	})
	r.Register(string(schema.Counts), 2, methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newVisitCounts(spec) },
	})
	r.Register(string(schema.ExternalMethod), 2, methodEntry{})
	return r
}
