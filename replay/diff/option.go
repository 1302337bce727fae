package diff

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// OptionReport is the comparison of two options.
type OptionReport struct {
	RunA       schema.Digest           `json:"run_a"`
	RunB       schema.Digest           `json:"run_b"`
	Identical  bool                    `json:"identical"`  // the same records
	Equivalent bool                    `json:"equivalent"` // the purposes and the options are the same, within the limits
	Spec       []report.SpecDifference `json:"spec"`
	Pair       Pair                    `json:"pair"`      // with cos_M signed
	Threshold  float64                 `json:"threshold"` // of cos_M
	Agreement  float64                 `json:"agreement"` // least similarity of options
	Chance     ChanceLevel             `json:"chance"`    // of two random purposes
	Actions    []string                `json:"actions"`
	Features   []string                `json:"features"`
	VectorA    []float64               `json:"vector_a"`
	VectorB    []float64               `json:"vector_b"`
}

// CompareOptions compares two options.
func CompareOptions(
	ctx context.Context, a *Side, of report.Ref, b *Side, with report.Ref, limits Limits,
) (OptionReport, error) {
	var r OptionReport
	of, err := report.ResolveRef(a.Records, of)
	if err != nil {
		return r, err
	}
	if with, err = report.ResolveRef(b.Records, with); err != nil {
		return r, err
	}
	if err := cmp.Or(checkComparable(a, b), a.CheckIteration(of.K), b.CheckIteration(with.K)); err != nil {
		return r, err
	}
	m, err := a.metric(ctx, b)
	if err != nil {
		return r, err
	}
	x, i, err := a.findPurpose(of)
	if err != nil {
		return r, err
	}
	y, j, err := b.findPurpose(with)
	if err != nil {
		return r, err
	}
	p, q := x.Purposes[i], y.Purposes[j]
	limits = limits.WithDefaults()
	chance, err := m.chance(ctx, 1, 1)
	if err != nil {
		return r, err
	}
	r = OptionReport{
		RunA: a.ID, RunB: b.ID,
		Spec: report.SpecDifferences(a.SpecAt(of.K), b.SpecAt(with.K)), Chance: chance,
		Agreement: limits.Agreement, Actions: a.Env.Actions(), Features: a.Env.Features(), VectorA: p.Vector,
		VectorB: q.Vector,
	}
	r.Threshold = limits.Cosine
	c := m.Cos(p.coordinates(), q.coordinates())
	r.Pair = Pair{
		A: p.Ref, B: q.Ref, NumberA: p.Number, NumberB: q.Number, Cosine: c, Matched: c >= r.Threshold, SigmaA: p.Sigma,
		SigmaB: q.Sigma,
	}
	pair := comparison{sets: [2]*optionSet{x, y}, visits: slices.Concat(x.Visits, y.Visits)}
	alike, err := pair.compareOptions([]int{i}, []int{j})
	if err != nil {
		return r, err
	}
	r.Pair.BehaviourSimilarity = alike[0]
	r.Equivalent = r.Pair.Matched && (r.Pair.BehaviourSimilarity == nil || r.Pair.Similarity >= limits.Agreement)
	r.Identical = a.recordNames(of.K, i) == b.recordNames(with.K, j) && reflect.DeepEqual(p.Purpose, q.Purpose)
	return r, nil
}

// findPurpose returns the purpose that a reference names, in the set of its iteration.
func (s *Side) findPurpose(ref report.Ref) (*optionSet, int, error) {
	at, err := report.FindPurpose(s.Records, ref)
	if err != nil {
		return nil, 0, err
	}
	set, err := s.optionSet(ref.K)
	return set, at, err
}

// recordNames returns the digests of the records of iteration k's option i: its values or weights,
// and the option. Both are zero if purposes have no options.
func (s *Side) recordNames(k, i int) [2]schema.Digest {
	options, learned := s.Iterations[k].RecordsOf(schema.KindOption), recorded.LearnedEntries(s.Iterations[k])
	if i >= len(options) || i >= len(learned) {
		return [2]schema.Digest{}
	}
	return [2]schema.Digest{learned[i].Name, options[i]}
}
