package runset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// Limits of a plan.
const (
	MaxPlanSpecs  = 100_000
	maxPlanRuns   = 10_000_000
	MaxIterations = 1<<31 - 1 // of a run: an iteration's number has 4 bytes of a key
	MaxPlanBytes  = 64 << 20  // of the encoding
)

// ErrPlan is the error of an invalid plan.
var ErrPlan = errors.New("invalid plan")

// A Plan is a set of runs to make: every combination of its specs and seeds, each up to a number of iterations. The
// memory that it takes does not depend on the number of runs. It is immutable.
type Plan struct {
	Specs      []schema.Spec // distinct even with one seed, which is 0 in all
	Seeds      Seeds         // of each spec
	Iterations int           // target of each run
	Study      *Study        // names of the specs, nil for a plan without names
}

// Len returns the number of runs.
func (p *Plan) Len() int { return len(p.Specs) * p.Seeds.Len() }

// At returns the spec of the i-th run: specs in order, and for each spec its seeds.
func (p *Plan) At(i int) schema.Spec {
	n := p.Seeds.Len()
	spec := p.Specs[i/n]
	spec.Seed = p.Seeds.At(i % n)
	return spec
}

// CheckSize returns an error for a plan without runs, with too many, or with an invalid number of iterations, and for a
// study of other specs.
func (p *Plan) CheckSize() error {
	switch {
	case len(p.Specs) == 0 || p.Seeds.Len() == 0:
		return schema.Hint(fmt.Errorf("%w: no runs", ErrPlan), "give each field a value, and at least one seed")
	case len(p.Specs) > MaxPlanSpecs || p.Len() > maxPlanRuns:
		return schema.Hint(fmt.Errorf("%w: %d specs with %d seeds each", ErrPlan, len(p.Specs), p.Seeds.Len()),
			"a plan has at most %d specs and %d runs: make several", MaxPlanSpecs, maxPlanRuns)
	case p.Iterations < 1 || p.Iterations > MaxIterations:
		return fmt.Errorf("%w: %d iterations", ErrPlan, p.Iterations)
	case p.Study != nil:
		return p.Study.check(len(p.Specs))
	}
	return nil
}

func (p *Plan) specFamilies() ([]schema.Digest, error) {
	families := make([]schema.Digest, len(p.Specs))
	for i, spec := range p.Specs {
		var err error
		if families[i], err = spec.Family(); err != nil {
			return nil, fmt.Errorf("spec %d: %w", i, err)
		}
	}
	return families, nil
}

// encodedPlan is the canonical form of a plan.
type encodedPlan struct {
	Iterations int           `cbor:"iterations"`
	Seeds      []seedRange   `cbor:"seeds"` // ascending, with a gap between any two
	Specs      []schema.Spec `cbor:"specs"` // in the order of their families
	Study      Study         `cbor:"study"`
}

// Encode returns the canonical encoding of a plan that is a study, which does not depend on the order of its specs.
func (p *Plan) Encode() ([]byte, error) {
	if p.Study == nil {
		return nil, fmt.Errorf("%w: it is no study", ErrPlan)
	}
	families, err := p.specFamilies()
	if err == nil {
		err = p.CheckSize()
	}
	if err != nil {
		return nil, err
	}
	order := make([]int, len(p.Specs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return families[i].Compare(families[j]) })
	e := encodedPlan{Iterations: p.Iterations, Seeds: p.Seeds.ranges, Study: *p.Study}
	e.Study.Cells = nil
	for _, i := range order {
		e.Specs = append(e.Specs, p.Specs[i])
		e.Study.Cells = append(e.Study.Cells, p.Study.Cells[i])
	}
	data, err := wire.Marshal(e)
	if err == nil && len(data) > MaxPlanBytes {
		err = schema.Hint(fmt.Errorf("%w: its specs take %d bytes", ErrPlan, len(data)),
			"a plan takes at most %d bytes: make several", MaxPlanBytes)
	}
	return data, err
}

// DecodePlan decodes and checks the output of [Plan.Encode].
func DecodePlan(data []byte) (*Plan, error) {
	if len(data) > MaxPlanBytes {
		return nil, fmt.Errorf("%w: a plan of %d bytes, more than %d", wire.ErrOversized, len(data), MaxPlanBytes)
	}
	var e encodedPlan
	if err := wire.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	for i, r := range e.Seeds {
		if r.First > r.Last || r.Last-r.First >= MaxSeeds || i > 0 && (r.First == 0 || r.First-1 <= e.Seeds[i-1].Last) {
			return nil, fmt.Errorf("%w: the seeds of the plan are not disjoint ascending ranges", wire.ErrMalformed)
		}
	}
	p := &Plan{Specs: e.Specs, Seeds: newSeeds(e.Seeds), Iterations: e.Iterations, Study: &e.Study}
	if n := p.Seeds.Len(); n > MaxSeeds {
		return nil, fmt.Errorf("%w: a plan of %d seeds, more than %d", wire.ErrMalformed, n, MaxSeeds)
	}
	if err := p.CheckSize(); err != nil {
		return nil, fmt.Errorf("%w: %w", wire.ErrMalformed, err)
	}
	families, err := p.specFamilies()
	if err != nil {
		return nil, err
	}
	for i := range families {
		if p.Specs[i].Seed != 0 || i > 0 && families[i-1].Compare(families[i]) >= 0 {
			return nil, fmt.Errorf("%w: spec %d of the plan is out of order or has a seed", wire.ErrMalformed, i)
		}
	}
	return p, nil
}
