package export

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// member is an array to be written.
type member struct {
	kind  dtype
	shape []int
	fill  func(*elements) error
}

// members returns the arrays of an iteration. The factors may be pruned if they are not needed.
func (e *exporter) members(k int, its []schema.Iteration) (map[string]member, error) {
	features := len(e.env.Features())
	if !e.needsFactors() {
		if envs.HasActions(e.env) {
			return e.walkedMembers(k, its, features), nil
		}
		return map[string]member{}, nil
	}
	f, err := e.records.Factors(k)
	if err != nil {
		return nil, err
	}
	members := factorMembers(e.run.Source.SpecAt(k), f)
	if envs.HasActions(e.env) {
		maps.Copy(members, e.walkedMembers(k, its, f.Features()))
		return members, nil
	}
	purposes, err := e.records.Purposes(k, f) // of a plain D
	members["delta"] = member{float64s, []int{int(f.Total), f.Dims}, func(e *elements) error {
		for i, count := range f.Counts {
			for range count {
				e.write(f.Row(i))
			}
		}
		return nil
	}}
	members["eigenpurpose"] = member{float64s, []int{len(purposes), f.Dims},
		writeEach(len(purposes), func(i int) any { return purposes[i].Vector })}
	return members, err
}

// needsFactors reports whether a requested array is computed from the factors, or has an entry for each feature in an
// environment where only the factors record the number of features.
func (e *exporter) needsFactors() bool {
	names := []string{"column", "rows", "counts", "U", "S", "Vt"}
	if !envs.HasActions(e.env) || envs.FeaturesGrow(e.env) {
		names = append(names, "delta", "eigenpurpose", "theta")
	}
	return slices.ContainsFunc(names, e.wants)
}

// factorMembers returns the arrays of an iteration's factors.
func factorMembers(spec schema.Spec, f schema.Factors) map[string]member {
	c, k, u := f.Dims, f.Directions(), f.Distinct()
	members := map[string]member{
		"rows":   {float64s, []int{u, c}, writeEach(u, func(i int) any { return f.Row(i) })},
		"counts": {int64s, []int{u}, writeAll(f.Counts)},
		"U": {float64s, []int{u, k}, func(e *elements) error { // U = DVΣ⁺
			for _, row := range linalg.FactoredDataset(spec, f).Rows {
				e.write(linalg.LeftSingularRow(f, row))
			}
			return nil
		}},
		"S":  {float64s, []int{k}, writeAll(f.Sigma)},
		"Vt": {float64s, []int{k, c}, writeAll(mat.DenseCopyOf(mat.NewDense(c, k, f.V).T()).RawMatrix().Data)},
	}
	if f.Columns != nil {
		members["column"] = member{int32s, []int{c}, writeAll(f.Columns)}
	}
	return members
}

// walkedMembers returns the arrays of an iteration with states and options.
func (e *exporter) walkedMembers(k int, its []schema.Iteration, d int) map[string]member {
	it, spec := its[k], e.run.Source.SpecAt(k)
	n, m := int(spec.Steps), len(it.RecordsOf(schema.KindOption))
	states, actions := e.env.States(), len(e.env.Actions())
	members := map[string]member{
		"state":        {int64s, []int{n + 1}, e.states(it)},
		"action":       {int32s, []int{n}, e.actions(it)},
		"option":       {int32s, []int{n}, e.activeOptions(it)},
		"delta":        {float64s, []int{n, d}, e.deltas(it, d)},
		"eigenpurpose": {float64s, []int{m, d}, e.options(it, func(o schema.Option) any { return o.Purpose.Vector })},
		"value":        {float64s, []int{m, states}, e.values(it)},
		"q":            {float64s, []int{m, states, actions}, e.q(k, its, spec.Gamma)},
		"policy":       {int16s, []int{m, states}, e.options(it, widePolicy)},
		"initiation":   {bools, []int{m, states}, e.options(it, initiation)},
	}
	if spec.IsLinear() {
		members["theta"] = member{float64s, []int{m, actions, d + 1}, e.learned(it, theta)}
	}
	if spec.Method != "" {
		delete(members, "delta") // D is the method's matrix
	}
	return members
}
