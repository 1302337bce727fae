package pod

import "github.com/podtrack/podtrack/schema"

// methods are what computes the methods that package schema has registered under the same names.
var methods = registerMethods()

// methodEntry is what computes a method.
type methodEntry struct {
	newMatrix func(env Env, spec schema.Spec) StateMatrix // nil if D has the rows of transitions
}

func registerMethods() *schema.Registry[methodEntry] {
	r := schema.NewRegistry[methodEntry]("method")
	r.Register(string(schema.POD), methodEntry{})
	r.Register(string(schema.Laplacian), methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newAdjacency(spec) },
	})
	r.Register(string(schema.Successor), methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newSuccessor(spec) },
	})
	r.Register(string(schema.SuccessorFeatures), methodEntry{
		newMatrix: func(env Env, spec schema.Spec) StateMatrix { return newSuccessorFeatures(env, spec) },
	})
	r.Register(string(schema.Covering), methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newCovering(spec) },
	})
	r.Register(string(schema.Counts), methodEntry{
		newMatrix: func(_ Env, spec schema.Spec) StateMatrix { return newVisitCounts(spec) },
	})
	r.Register(string(schema.ExternalMethod), methodEntry{})
	return r
}
