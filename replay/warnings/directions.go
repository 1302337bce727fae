package warnings

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// maxFeatures is the largest number of features that a warning names.
const maxFeatures = 8

// keptShare bounds a proposed κ as a share of the largest σ. On the paper's ring, κ is about that share.
const keptShare = 0.1

// directions finds why no direction, or none along some features, becomes options. A program that selects them does
// not compare them with κ.
func (r *Reader) directions(it iteration) {
	f := it.factors
	if f == nil || len(f.Sigma) == 0 {
		return
	}
	rule, err := it.spec.Select.ParseRule()
	if err != nil || rule.By.KeepsSmall() || it.spec.Kappa >= turnedOff {
		return
	}
	usesKappa := rule.UsesKappa() && it.spec.Stages.Of(schema.SelectStage) == nil
	switch largest := compared(rule.By, f.Sigma[0], f.Total); {
	case f.Sigma[0] == 0:
		r.add(Warning{Kind: NothingChanges, Remedies: []Remedy{{}}}, it, it.k+1)
	case usesKappa && largest <= it.spec.Kappa:
		r.add(Warning{
			Kind:      NoDirection,
			Direction: &Direction{Symbol: rule.By.Symbol(), Largest: largest, Kappa: it.spec.Kappa},
			Features:  least(changing(it)),
			Remedies:  directionRemedies(it, rule.By),
		}, it, it.k+1)
	case usesKappa && isReal(it.spec) && scalesFeatures(it.spec):
		r.smallFeatures(it, rule.By)
	}
}

// compared returns the number that a criterion compares with κ.
func compared(by schema.Criterion, sigma float64, rows int64) float64 {
	switch by {
	case schema.BySquare:
		return math.Min(sigma*sigma, math.MaxFloat64) // JSON has no infinity
	case schema.ByRMS:
		return sigma / math.Sqrt(float64(rows))
	}
	return sigma
}

// directionRemedies returns changes that let directions pass: features on one scale, a smaller κ, features in bins.
func directionRemedies(it iteration, by schema.Criterion) (remedies []Remedy) {
	f := it.factors
	// The columns of a scaled D have length √rows, and no column is longer than σ₁.
	if scalesFeatures(it.spec) && compared(by, math.Sqrt(float64(f.Total)), f.Total) > it.spec.Kappa {
		remedies = append(remedies, Remedy{Field: "feature_scale", Value: string(schema.RMS)})
	}
	if kappa := roundDown(keptShare * compared(by, f.Sigma[0], f.Total)); kappa > 0 {
		keeps := 0
		for _, sigma := range f.Sigma {
			if compared(by, sigma, f.Total) > kappa {
				keeps++
			}
		}
		remedies = append(remedies, Remedy{Field: "kappa", Value: strconv.FormatFloat(kappa, 'g', -1, 64), Keeps: keeps})
	}
	if isReal(it.spec) {
		remedies = append(remedies, Remedy{})
	}
	return remedies
}

// smallFeatures finds features along which no direction passes κ because they change too little: the direction of a
// single feature has σ = rms·√rows, the length of its column of D. A feature that changes by 1 or more is not small,
// but rare.
func (r *Reader) smallFeatures(it iteration, by schema.Criterion) {
	var small []Feature
	all := changing(it)
	for _, x := range all {
		if compared(by, x.RMS*math.Sqrt(float64(it.factors.Total)), it.factors.Total) <= it.spec.Kappa && x.most < 1 {
			small = append(small, x)
		}
	}
	if len(small) == 0 || len(small) == len(all) {
		return
	}
	r.add(Warning{
		Kind: SmallFeatures, Features: least(small),
		Direction: &Direction{Symbol: by.Symbol(), Kappa: it.spec.Kappa,
			Largest: compared(by, it.factors.Sigma[0], it.factors.Total)},
		Remedies: []Remedy{{Field: "feature_scale", Value: string(schema.RMS)}},
	}, it, it.k+1)
}

// changing returns the features that change in D's rows. It returns none if D is a method's matrix, whose rows are not
// differences, or if features are states, which have no scale.
func changing(it iteration) (features []Feature) {
	if it.spec.Method != "" || it.spec.Env.External != nil && it.spec.Env.External.Observes == schema.Discrete {
		return nil
	}
	most := make([]float64, it.factors.Dims) // the magnitude of each feature's largest change
	for _, row := range it.factors.Rows {
		for _, e := range row {
			most[e.Feature] = max(most[e.Feature], math.Abs(e.Value))
		}
	}
	for i, rms := range linalg.DatasetFromFactors(*it.factors).RootMeanSquares() {
		if rms > 0 {
			feature := int(it.factors.FeatureOf(i))
			name := "feature " + strconv.Itoa(feature)
			if x := it.spec.Env.External; x != nil && feature < len(x.Features) {
				name = x.Features[feature]
			}
			features = append(features, Feature{Name: name, RMS: math.Min(rms, math.MaxFloat64), most: most[i]})
		}
	}
	return features
}

// least returns the maxFeatures features that change least, in that order.
func least(features []Feature) []Feature {
	features = slices.Clone(features)
	slices.SortStableFunc(features, func(a, b Feature) int { return cmp.Compare(a.RMS, b.RMS) })
	return features[:min(maxFeatures, len(features))]
}

// isReal reports whether the environment's features are real numbers.
func isReal(spec schema.Spec) bool {
	return spec.Env.External != nil && spec.Env.External.Observes == schema.Real
}

// scalesFeatures reports whether the spec could scale its features and does not.
func scalesFeatures(spec schema.Spec) bool {
	return spec.Method == "" && spec.FeatureScale == schema.Unscaled
}

// roundDown rounds a positive number down to one digit.
func roundDown(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 0, 64), 64)
	if err == nil && rounded > x {
		unit := math.Pow(10, math.Floor(math.Log10(x)))
		rounded, err = strconv.ParseFloat(strconv.FormatFloat(rounded-unit, 'e', 0, 64), 64)
	}
	if err != nil {
		return 0
	}
	return rounded
}
