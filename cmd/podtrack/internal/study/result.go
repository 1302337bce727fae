package study

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
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
	Goal        *Goal           `json:"goal"` // nil if a setting that it needs is left out
}

//go:embed exploration.json
var published []byte

// Published returns what was measured of the whole study: the document of podtrack reproduce exploration
// --json. Running the study checks it.
func Published() (*Result, error) {
	r := &Result{}
	d := json.NewDecoder(bytes.NewReader(published))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("published results: %w", err)
	}
	return r, nil
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
	r := &Result{Title: s.Title, FirstSeed: s.Seeds.At(0), Seeds: seeds, Registered: s.Seeds.Len(),
		Iterations: s.Iterations, Reference: s.Reference}
	for _, setting := range settings {
		groups, err := s.read(ctx, store, setting, seeds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.Name, err)
		}
		out := SettingResult{Name: setting.Name, About: setting.About, Outcome: setting.Outcome}
		for _, g := range groups {
			out.Variants = append(out.Variants, s.summarise(g, setting.Outcome))
		}
		out.compare(s.Reference)
		r.Settings = append(r.Settings, out)
		lost, err := s.findLost(ctx, store, setting, groups)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.Name, err)
		}
		r.Lost = append(r.Lost, lost...)
	}
	r.settle()
	r.Goal = s.judge(r)
	return r, nil
}

// The measures that a study is made of.
const (
	distance = "distance"
	covered  = "covered"
)

var measures = []string{distance, "states_visited", covered, "steps_to_half"}

// read reads the runs of a setting, a group for each variant.
func (s Study) read(
	ctx context.Context, store *tracker.Store, setting Setting, seeds int,
) (groups []group.Group, err error) {
	plan, err := s.plan(setting, seeds)
	if err != nil {
		return nil, err
	}
	for i, v := range s.Variants {
		var specs []schema.Spec
		for j := range seeds {
			specs = append(specs, plan.At(i*seeds+j))
		}
		err := store.View(ctx, func(tx *tracker.Tx) error {
			g, err := group.ReadSpecs(ctx, tx, measures, v.Name, specs, s.Iterations)
			groups = append(groups, g)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return groups, nil
}

// summarise returns the means of a variant's runs.
func (s Study) summarise(g group.Group, outcome string) VariantResult {
	v := VariantResult{Name: g.Filter, Against: []Against{}, Values: s.outcomes(g, outcome)}
	all := group.Summarise(g, measures)
	last := s.Iterations - 1
	v.Mean, v.Covered = stats.Mean(v.Values), stats.Mean(g.ValuesOf(covered, last))
	v.Distances, v.States, v.Coverage = s.means(all.Measures[0]), s.means(all.Measures[1]), s.means(all.Measures[2])
	if half := all.Measures[3].Iterations[last]; half.N > 0 {
		n := half.N - half.Censored
		v.Half = &n
		if 2*n > half.N { // else the median is beyond the last step
			v.HalfMedian = half.Median
		}
	}
	return v
}

// outcomes returns the outcome of each run, in order of its seed; none where the environment has no distance.
func (s Study) outcomes(g group.Group, name string) []float64 {
	if name == Covered {
		return g.ValuesOf(covered, s.Iterations-1)
	}
	means := make([]float64, len(g.Runs))
	for k := 1; k < s.Iterations; k++ {
		values := g.ValuesOf(distance, k)
		if len(values) < len(means) {
			return nil
		}
		for i, d := range values {
			means[i] += d
		}
	}
	for i := range means {
		means[i] /= float64(s.Iterations - 1)
	}
	return means
}

// means returns the means of a measure by iteration, none where the runs do not have it.
func (s Study) means(of group.Series) []float64 {
	means := []float64{}
	for _, cell := range of.Iterations[:s.Iterations] {
		if cell.Mean != nil {
			means = append(means, *cell.Mean)
		}
	}
	return means
}

// compare lists the comparisons of each variant with the references.
func (s *SettingResult) compare(references []string) {
	for i := range s.Variants {
		v := &s.Variants[i]
		v.Ratio = stats.Ratio(s.pairs(references[0], v), stats.Level)
		for j, name := range references {
			if !slices.Contains(references[j:], v.Name) { // two references are compared once
				v.Against = append(v.Against, Against{Reference: name})
			}
		}
	}
}

// pairs returns the outcomes of a variant with those of another, seed by seed.
func (s *SettingResult) pairs(reference string, v *VariantResult) []stats.Pair {
	other := s.values(reference)
	pairs := make([]stats.Pair, len(v.Values))
	for seed := range pairs {
		pairs[seed] = stats.Pair{A: other[seed], B: v.Values[seed]}
	}
	return pairs
}

func (s *SettingResult) values(variant string) []float64 {
	for _, v := range s.Variants {
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
