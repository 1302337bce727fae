package study

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A Result is what a study measured.
type Result struct {
	Title       string          `json:"title"`
	FirstSeed   uint64          `json:"first_seed"`
	Seeds       int             `json:"seeds"`
	Registered  int             `json:"registered_seeds"`
	Iterations  int             `json:"iterations"`
	Reference   []string        `json:"reference"`
	Comparisons int             `json:"comparisons"` // that Holm's correction is over
	EachLevel   float64         `json:"each_level"`  // of the interval of each difference, by Bonferroni
	Settings    []SettingResult `json:"settings"`
	Lost        []Lost          `json:"directions"`
	Goal        *Goal           `json:"goal"` // nil where a setting that it asks for is left out
}

// A SettingResult is what was measured in a setting.
type SettingResult struct {
	Name     string          `json:"name"`
	About    string          `json:"about"`
	Outcome  string          `json:"outcome"`
	Variants []VariantResult `json:"variants"`
}

// A VariantResult is what was measured of a variant in a setting.
type VariantResult struct {
	Name       string          `json:"name"`
	Values     []float64       `json:"values"` // the outcome, by seed
	Mean       *stats.Estimate `json:"mean"`
	Ratio      *stats.Estimate `json:"ratio"` // of the mean to the first reference's
	Covered    *stats.Estimate `json:"covered"`
	Distances  []float64       `json:"distance_by_iteration"` // means; empty where there is no distance
	States     []float64       `json:"states_by_iteration"`
	Coverage   []float64       `json:"covered_by_iteration"`
	Half       *int            `json:"reached_half"` // runs that visited half of the states; nil if not known
	HalfMedian *float64        `json:"median_steps_to_half"`
	Against    []Against       `json:"against"`
}

// Against is the comparison of a variant with a reference, seed by seed.
type Against struct {
	Reference string `json:"reference"`
	stats.Effect
	Adjusted *float64      `json:"p_holm"`
	Verdict  stats.Verdict `json:"verdict"`
}

// Measure reads the runs of the first seeds of a study in the given settings, and compares them. It
// returns [tracker.ErrMissing] if one of them is not there.
func (s Study) Measure(ctx context.Context, store *tracker.Store, settings []Setting, seeds int) (*Result, error) {
	r := &Result{Title: s.Title, FirstSeed: s.FirstSeed, Seeds: seeds, Registered: s.Seeds, Iterations: s.Iterations,
		Reference: s.Reference}
	for _, setting := range settings {
		env, err := setting.NewEnv()
		if err != nil {
			return nil, err
		}
		measured, err := s.measureSetting(ctx, store, setting, env, seeds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.Name, err)
		}
		r.Settings = append(r.Settings, measured)
		lost, err := s.findLost(ctx, store, setting, env, seeds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.Name, err)
		}
		r.Lost = append(r.Lost, lost...)
	}
	r.settle()
	r.Goal = s.judge(r)
	return r, nil
}

func (s Study) measureSetting(
	ctx context.Context, store *tracker.Store, setting Setting, env schema.Env, seeds int,
) (SettingResult, error) {
	out := SettingResult{Name: setting.Name, About: setting.About, Outcome: setting.Outcome}
	for _, v := range s.Variants {
		var outcomes []outcome
		for _, seed := range s.firstSeeds(seeds) {
			spec, err := s.Spec(setting, v, env, seed)
			if err != nil {
				return out, err
			}
			var o outcome
			err = store.View(ctx, func(tx *tracker.Tx) error {
				o, err = readOutcome(tx, spec, s.Iterations)
				return err
			})
			if err != nil {
				return out, fmt.Errorf("%s, seed %d: %w", v.Name, seed, err)
			}
			outcomes = append(outcomes, o)
		}
		out.Variants = append(out.Variants, summarise(v.Name, setting.Outcome, outcomes))
	}
	out.compare(s.Reference)
	return out, nil
}

// summarise returns the means of a variant's runs.
func summarise(name, decides string, outcomes []outcome) VariantResult {
	v := VariantResult{Name: name, Against: []Against{}}
	var covered, halves []float64
	for _, o := range outcomes {
		if x, known := o.get(decides); known {
			v.Values = append(v.Values, x)
		}
		x, _ := o.get(Covered)
		covered = append(covered, x)
		if o.half != nil {
			halves = append(halves, float64(*o.half))
		}
	}
	v.Mean, v.Covered = stats.Mean(v.Values), stats.Mean(covered)
	v.Distances = meanByIteration(outcomes, func(o outcome) []float64 { return o.distances })
	v.States = meanByIteration(outcomes, func(o outcome) []float64 { return o.states })
	v.Coverage = meanByIteration(outcomes, func(o outcome) []float64 { return o.covered })
	if outcomes[0].knowsHalf {
		n := len(halves)
		v.Half = &n
	}
	if 2*len(halves) > len(outcomes) { // else the median is beyond the last step
		for len(halves) < len(outcomes) {
			halves = append(halves, slices.Max(halves)) // not before any of the others
		}
		slices.Sort(halves)
		median := stats.Quantile(0.5, halves)
		v.HalfMedian = &median
	}
	return v
}

// meanByIteration returns the means over runs of a number by iteration.
func meanByIteration(outcomes []outcome, numbers func(outcome) []float64) []float64 {
	means := make([]float64, len(numbers(outcomes[0])))
	for _, o := range outcomes {
		for k, x := range numbers(o) {
			means[k] += x / float64(len(outcomes))
		}
	}
	return means
}

// compare lists the comparisons of each variant with the references.
func (r *SettingResult) compare(references []string) {
	for i := range r.Variants {
		v := &r.Variants[i]
		v.Ratio = stats.Ratio(r.pairs(references[0], v), stats.Level)
		for j, name := range references {
			if !slices.Contains(references[j:], v.Name) { // two references are compared once
				v.Against = append(v.Against, Against{Reference: name})
			}
		}
	}
}

// pairs returns the outcomes of a variant with those of another, seed by seed.
func (r *SettingResult) pairs(reference string, v *VariantResult) []stats.Pair {
	other := r.values(reference)
	pairs := make([]stats.Pair, len(v.Values))
	for seed := range pairs {
		pairs[seed] = stats.Pair{A: other[seed], B: v.Values[seed]}
	}
	return pairs
}

func (r *SettingResult) values(variant string) []float64 {
	for _, v := range r.Variants {
		if v.Name == variant {
			return v.Values
		}
	}
	return nil
}

// settle compares each variant with the references, with p-values and intervals adjusted for the number of tests.
func (r *Result) settle() {
	r.Comparisons = 0
	var p []*float64
	all := r.compareAll(stats.Level)
	for _, a := range all {
		if p = append(p, a.PValue); a.PValue != nil {
			r.Comparisons++
		}
	}
	r.EachLevel = stats.Bonferroni(stats.Level, r.Comparisons)
	r.compareAll(r.EachLevel)
	for i, adjusted := range stats.HolmOf(p) {
		all[i].Adjusted, all[i].Verdict = adjusted, stats.Settle(adjusted, all[i].Difference)
	}
}

// compareAll compares each variant with the references, with intervals at the given level.
func (r *Result) compareAll(level float64) (all []*Against) {
	for i := range r.Settings {
		in := &r.Settings[i]
		for j := range in.Variants {
			v := &in.Variants[j]
			for k := range v.Against {
				a := &v.Against[k]
				a.Effect = stats.ComparePairs(in.pairs(a.Reference, v), level)
				all = append(all, a)
			}
		}
	}
	return all
}
