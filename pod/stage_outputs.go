package pod

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// unitTolerance is how far the length of a method's vector may be from 1.
const unitTolerance = 1e-9

// FactorExternally returns the factors of D that an external method computes. They have the rows and counts of D.
// Directions that the method does not return have σ = 0 and a vector of zeros.
func FactorExternally(ctx context.Context, launch StageSource, in MethodInput) (schema.Factors, error) {
	dims := in.Data.Dims
	out, err := MethodStage.call(ctx, launch, in.Spec, in, func(out MethodOutput) error { return out.check(dims) })
	if err != nil {
		return schema.Factors{}, err
	}
	f := schema.Factors{
		Dims: dims, Rows: linalg.WithoutZeros(in.Data.Rows), Counts: in.Data.Counts,
		Sigma: make([]float64, dims), V: make([]float64, dims*dims),
	}
	for _, c := range f.Counts {
		f.Total += c
	}
	for j, vector := range out.Vectors {
		f.Sigma[j] = out.Sigma[j] + 0 // never −0
		for i, x := range vector {
			f.V[i*dims+j] = x + 0
		}
	}
	if err := CheckExternalFactors(in.Spec, f); err != nil {
		return schema.Factors{}, stageError(ctx, MethodStage.name, err)
	}
	return f, nil
}

// check returns an error unless the output has the shape of directions with that many features.
func (m MethodOutput) check(dims int) error {
	if len(m.Sigma) != len(m.Vectors) || len(m.Sigma) > dims {
		return schema.Hint(fmt.Errorf("it returned %d numbers σ and %d vectors for a D of %d columns", len(m.Sigma),
			len(m.Vectors), dims), "return as many vectors as numbers σ, at most as many as D has columns")
	}
	for j, v := range m.Vectors {
		if len(v) != dims {
			return schema.Hint(fmt.Errorf("vector %d has %d entries; D has %d columns", j+1, len(v), dims),
				"a vector has an entry for each column of D")
		}
	}
	return nil
}

// CheckExternalFactors returns an error unless factors of an external method satisfy these constraints: σ is finite, at
// least 0 and descending; vectors with σ > 0 have length 1, to 1e-9; those with σ = 0 have that length too, or are 0,
// but not 0 if the spec's selection keeps directions with σ = 0.
func CheckExternalFactors(spec schema.Spec, f schema.Factors) error {
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return err
	}
	wrong := func(remedy, format string, args ...any) error {
		return schema.Hint(fmt.Errorf(format, args...), "%s", remedy)
	}
	for j, sigma := range f.Sigma {
		switch {
		case math.IsNaN(sigma) || math.IsInf(sigma, 0) || sigma < 0:
			return wrong("return finite numbers of at least 0", "σ of direction %d is %v", j+1, sigma)
		case j > 0 && sigma > f.Sigma[j-1]:
			return wrong("return the directions from the largest σ on", "σ of direction %d, %v, is larger than the %v "+
				"before it", j+1, sigma, f.Sigma[j-1])
		}
		column := make([]float64, f.Dims)
		isZero := true
		for i := range column {
			column[i] = f.V[i*f.Dims+j]
			if x := column[i]; math.IsNaN(x) || math.IsInf(x, 0) {
				return wrong("return finite numbers", "entry %d of vector %d is %v", i+1, j+1, x)
			}
			isZero = isZero && column[i] == 0
		}
		length := linalg.Norm(column)
		switch {
		case isZero && sigma == 0 && rule.By.KeepsSmall():
			return wrong("return as many directions as D has columns, or use another selection",
				"vector %d of %d is missing, and selection %s keeps directions with σ = 0", j+1, f.Dims, rule.By)
		case isZero && sigma == 0:
		case math.Abs(length-1) > unitTolerance:
			return wrong("divide each vector by its length", "vector %d has length %v, not 1", j+1, length)
		}
	}
	return nil
}

// SelectExternally returns the selection of an external program or function, for the arguments of
// [selection.SelectDirections].
func SelectExternally(
	ctx context.Context, launch StageSource, spec schema.Spec, k int, options collect.OptionSet, f schema.Factors,
	seen selection.Seen,
) (schema.Selection, error) {
	c, err := selection.NewDirectionSelector(spec, f)
	if err != nil {
		return schema.Selection{}, err
	}
	if spec.ChoosesSigns() {
		if err := c.ChooseSigns(seen); err != nil {
			return schema.Selection{}, err
		}
	}
	for i := range c.Directions {
		c.Directions[i].Reason = schema.Declined
	}
	in := SelectInput{Spec: spec, K: k, Factors: f, Directions: slices.Clone(c.Directions), Options: options}
	directions, err := SelectStage.call(ctx, launch, spec, in,
		func(decided []schema.Direction) error { return checkDirections(decided, c.Directions, options) })
	if err != nil {
		return schema.Selection{}, err
	}
	for i := range directions {
		directions[i].Number += 0 // never −0
	}
	return schema.Selection{Directions: directions}, nil
}

// checkDirections returns an error unless decided holds the given directions, with valid decisions.
func checkDirections(decided, given []schema.Direction, options collect.OptionSet) error {
	if len(decided) != len(given) {
		return schema.Hint(fmt.Errorf("it decided about %d of %d directions with σ > 0", len(decided), len(given)),
			"return a decision for each direction, in their order")
	}
	next := options.End() // number of the next option
	for i, d := range decided {
		switch {
		case d.Sigma != given[i].Sigma:
			return schema.Hint(fmt.Errorf("direction %d has σ %v, not %v", i+1, d.Sigma, given[i].Sigma),
				"leave σ as it is")
		case math.IsNaN(d.Number) || math.IsInf(d.Number, 0):
			return schema.Hint(fmt.Errorf("the number of direction %d is %v", i+1, d.Number), "give a finite number")
		case d.Reason > schema.Declined:
			return schema.Hint(fmt.Errorf("direction %d has %s", i+1, d.Reason), "use one of the reasons")
		case d.Nearest != schema.NoOption && (int(d.Nearest) < options.First || int(d.Nearest) >= next):
			return schema.Hint(fmt.Errorf("direction %d names option %d, which does not exist", i+1, d.Nearest),
				"name an option of the action set, or one of a direction kept before, or −1 for none")
		case given[i].Sign == schema.BothSigns && d.Sign != schema.BothSigns:
			return schema.Hint(fmt.Errorf("direction %d has sign %d, but the spec follows both signs", i+1, d.Sign),
				"leave signs out, or use sides one or published")
		case given[i].Sign != schema.BothSigns && d.Sign != schema.Plus && d.Sign != schema.Minus:
			return schema.Hint(fmt.Errorf("direction %d has sign %d", i+1, d.Sign), "give 1 or −1")
		}
		switch {
		case d.Reason != schema.Kept:
		case d.Sign == schema.BothSigns:
			next += 2
		default:
			next++
		}
	}
	return nil
}

// MeasureExternally returns the measures of an external program or function, under all names that it declares.
func MeasureExternally(ctx context.Context, launch StageSource, in MeasureInput) (schema.ExternalMeasures, error) {
	measured, err := MeasureStage.call(ctx, launch, in.Spec, in,
		func(m schema.ExternalMeasures) error { return CheckExternalMeasures(in.Spec, m) })
	if err != nil {
		return nil, err
	}
	all := schema.ExternalMeasures{}
	for _, name := range in.Spec.ExternalMeasureNames() {
		if all[name] = measured[name]; measured[name] != nil {
			all[name] = new(*measured[name] + 0) // never −0
		}
	}
	return all, nil
}

// CheckExternalMeasures returns an error unless m are measures that the spec's stage declares, and finite.
func CheckExternalMeasures(spec schema.Spec, m schema.ExternalMeasures) error {
	names := spec.ExternalMeasureNames()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		x := m[name]
		switch {
		case !slices.Contains(names, name):
			return schema.Hint(fmt.Errorf("the measure %.80q, which it does not declare", name),
				"declare all measures, and the same ones in every iteration")
		case x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)):
			return schema.Hint(fmt.Errorf("the measure %s is %v", name, *x),
				"give a finite number, or none where it is undefined")
		}
	}
	return nil
}
