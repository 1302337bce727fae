package group

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// A StudyComparison compares the variants of a study in each of its settings.
type StudyComparison struct {
	Study       string              `json:"study"`
	Title       string              `json:"title"`
	Digest      schema.Digest       `json:"digest"`
	Registered  bool                `json:"registered"`
	Seeds       runset.Seeds        `json:"seeds"`
	Iterations  int                 `json:"iterations"`
	Planned     int                 `json:"planned"`  // runs
	Complete    int                 `json:"complete"` // of them
	Lacks       []MissingRun        `json:"lacks"`    // begun, and not complete
	LeftOut     int                 `json:"left_out"` // of the complete ones, by the terms of Filter
	Filter      string              `json:"filter"`   // its terms on runs, such as seed=0-4
	Baselines   []string            `json:"baselines"`
	AllPairs    bool                `json:"all_pairs"`
	Correction  string              `json:"correction"`  // of the p-values, over all comparisons
	Comparisons int                 `json:"comparisons"` // that the study plans, shown or not
	Level       float64             `json:"level"`       // at which all intervals of differences hold together
	EachLevel   float64             `json:"each_level"`  // of each of them, by Bonferroni
	Settings    []SettingComparison `json:"settings"`    // by the second outcome, too, after all first ones
	Overall     []PartComparison    `json:"overall"`

	// Of the specs that are shown: the fields that all share, as terms; those in which variants differ within a setting,
	// by variant; and the others, in which settings differ, by setting.
	Spec          []string      `json:"spec"`
	Fields        []FieldValues `json:"fields"`
	SettingFields []FieldValues `json:"setting_fields"`
	NotShown      []string      `json:"not_shown"` // settings, variants and parts, with the reason
	Notes         []string      `json:"notes"`     // of what prints the comparison: what the numbers do not say

	Runs []report.Run   `json:"-"` // that are compared
	Unit runset.Variant `json:"-"` // by whose mean in a setting scores are divided: the first baseline, or variant
}

// A SettingComparison compares the variants in a setting.
type SettingComparison struct {
	runset.Setting
	Variants []VariantOutcome `json:"variants"`

	within valueRange // of outcomes
}

// A VariantOutcome is what the runs of a variant came to in a setting.
type VariantOutcome struct {
	runset.Variant
	Place    int       `json:"-"` // among all variants of the study, shown or not
	Outcomes []Outcome `json:"outcomes"`
	stats.Summary
	IQMLow  *float64             `json:"iqm_interval_low"` // of the interquartile mean, the percentile bootstrap
	IQMHigh *float64             `json:"iqm_interval_high"`
	Profile []stats.ProfilePoint `json:"profile"` // the share of runs above each outcome
	Against []VariantContrast    `json:"against"`
}

// A VariantContrast compares a variant with a baseline, or with an earlier variant if all pairs are compared.
type VariantContrast struct {
	Baseline string `json:"baseline"`
	Pairs    *int   `json:"pairs"` // of runs with the same seed; nil if fewer than two are shared, so that none is paired
	stats.Effect
	Adjusted     *float64      `json:"p_adjusted"`
	RankPValue   *float64      `json:"rank_p_value"` // of the rank-sum test, or of pairs the signed-rank test
	RankAdjusted *float64      `json:"rank_p_adjusted"`
	Verdict      stats.Verdict `json:"verdict"`
	Ceiling      string        `json:"ceiling"` // says that all outcomes of both are the most there is, "" if they are not
}

// CompareStudy compares the variants of a study: args are a filter with the term study=NAME. Terms on settings and
// variants choose what is shown of the whole comparison, so that p-values do not depend on them; others choose the
// runs. Runs with the same seed are paired. Other processes can write meanwhile: a study may have thousands of runs.
func CompareStudy(ctx context.Context, store *tracker.Store, args []string) (c *StudyComparison, err error) {
	var plan *runset.Plan
	var cells []runset.Cell
	var runs []report.Run
	err = store.View(ctx, func(tx *tracker.Tx) error {
		c, plan, cells, runs, err = choose(tx, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, in := range outcomesOf(plan.Study) {
		if err := in.read(ctx, store, plan, runs); err != nil {
			return nil, fmt.Errorf("setting %q: %w", in.Name, err)
		}
		c.Settings = append(c.Settings, in)
	}
	c.settle(plan.Study)
	if err := c.compareParts(ctx, plan.Study); err != nil {
		return nil, err
	}
	c.Runs = runs
	if c.show(plan.Study, cells); len(c.Settings) == 0 {
		return nil, schema.Hint(fmt.Errorf("%w: study %q", ErrEmpty, plan.Study.Name),
			"podtrack sweep with its file makes the runs")
	}
	c.setFields(plan)
	return c, nil
}

// setFields sets what the specs share, and in what they differ.
func (c *StudyComparison) setFields(plan *runset.Plan) {
	variants := make([]Group, len(c.Settings[0].Variants))
	settings := make([]Group, len(c.Settings))
	var all []report.Run
	for i, cell := range plan.Study.Cells {
		v := c.Settings[0].variantIndex(plan.Study.Variants[cell.Variant].Name)
		s := slices.IndexFunc(c.Settings, func(in SettingComparison) bool {
			return in.Name == plan.Study.Settings[cell.Setting].Name
		})
		if v >= 0 && s >= 0 {
			r := report.Run{Spec: plan.Specs[i]}
			all, variants[v].runs, settings[s].runs = append(all, r), append(variants[v].runs, r), append(settings[s].runs, r)
		}
	}
	settings = slices.DeleteFunc(settings, func(g Group) bool { return g.runs == nil }) // second outcomes
	for _, name := range report.SpecFields(all) {
		switch bySetting := fieldValues(settings, name); {
		case slices.ContainsFunc(bySetting.Values, func(v []string) bool { return len(v) > 1 }):
			c.Fields = append(c.Fields, fieldValues(variants, name))
		case bySetting.tells():
			c.SettingFields = append(c.SettingFields, bySetting)
		case name != "seed":
			c.Spec = append(c.Spec, report.FormatTerm(name, bySetting.Values[0][0]))
		}
	}
}

// choose returns what the arguments of [CompareStudy] choose: a comparison that compares nothing yet, the cells that
// are shown, and the runs.
func choose(tx *tracker.Tx, args []string) (
	c *StudyComparison, plan *runset.Plan, cells []runset.Cell, runs []report.Run, err error,
) {
	name, _ := report.StudyOf(args)
	plan, digest, err := tx.ReadStudy(name)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	cells, onRuns, err := report.CellsOf(plan.Study, args)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	own := report.FormatTerm("study", name)
	all, err := report.Select(tx, []string{own})
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if runs, err = report.Select(tx, append([]string{own}, onRuns...)); err != nil {
		return nil, nil, nil, nil, err
	}
	of := plan.Study
	c = &StudyComparison{
		Study: of.Name, Title: of.Title, Digest: digest, Registered: of.Registered, Seeds: plan.Seeds,
		Iterations: plan.Iterations, Planned: plan.Len(), Complete: countComplete(plan, all),
		Lacks: (&Group{runs: all}).missingRuns(plan.Iterations), Filter: report.FormatSelection(onRuns),
		Baselines: of.Baselines, AllPairs: of.AllPairs, Correction: of.Correction, Level: stats.Level,
		Settings: []SettingComparison{}, Overall: []PartComparison{}, Spec: []string{}, Fields: []FieldValues{},
		SettingFields: []FieldValues{}, NotShown: []string{}, Unit: of.Variants[0],
	}
	if len(of.Baselines) > 0 {
		c.Unit = of.Variants[slices.Index(of.VariantNames(), of.Baselines[0])]
	}
	c.LeftOut = c.Complete - countComplete(plan, runs)
	for i := range c.Lacks {
		r := all[slices.IndexFunc(all, func(r report.Run) bool { return r.ID == c.Lacks[i].Run })]
		c.Lacks[i].Label = fmt.Sprintf("%s, %s, seed %d", r.Places[0].Setting.Text(), r.Places[0].Variant.Text(), r.Seed)
	}
	return c, plan, cells, runs, nil
}

// countComplete returns how many runs have the iterations of a plan.
func countComplete(plan *runset.Plan, runs []report.Run) (n int) {
	for _, r := range runs {
		if r.Iterations >= plan.Iterations {
			n++
		}
	}
	return n
}

// show leaves the settings and variants of some cells of the study, and the baselines of those variants. Settings
// without runs go, and parts of which a setting is not shown.
func (c *StudyComparison) show(of *runset.Study, cells []runset.Cell) {
	drop := func(is bool, what, name, why string) bool {
		if is {
			c.NotShown = append(c.NotShown, fmt.Sprintf("%s %s (%s)", what, name, why))
		}
		return is
	}
	settings, chosen, shown := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, cell := range cells {
		settings[of.Settings[cell.Setting].Name] = true
		chosen[of.Variants[cell.Variant].Name] = true
	}
	for _, v := range of.Variants {
		shown[v.Name] = chosen[v.Name] || !c.AllPairs && slices.Contains(c.Baselines, v.Name)
		drop(!shown[v.Name], "variant", v.Text(), "not chosen")
	}
	c.Runs = slices.DeleteFunc(c.Runs, func(r report.Run) bool {
		return !settings[r.Places[0].Setting.Name] || !shown[r.Places[0].Variant.Name]
	})
	for i := range c.Settings {
		in := &c.Settings[i]
		in.Variants = slices.DeleteFunc(in.Variants, func(v VariantOutcome) bool { return !shown[v.Name] })
		for j, v := range in.Variants {
			in.Variants[j].Against = slices.DeleteFunc(v.Against,
				func(a VariantContrast) bool { return !chosen[v.Name] || !shown[a.Baseline] })
		}
	}
	c.Settings = slices.DeleteFunc(c.Settings, func(in SettingComparison) bool {
		isBegun := slices.ContainsFunc(in.Variants, func(v VariantOutcome) bool { return len(v.Outcomes) > 0 })
		return drop(!settings[in.Name], "setting", in.Text(), "not chosen") ||
			drop(!isBegun, "setting", in.Text(), "no run yet")
	})
	lacks := func(name string) bool {
		return !slices.ContainsFunc(c.Settings, func(in SettingComparison) bool { return in.Name == name })
	}
	c.Overall = slices.DeleteFunc(c.Overall, func(over PartComparison) bool {
		return drop(slices.ContainsFunc(over.Settings, lacks), "part", over.Part, "a setting of it is not shown")
	})
	for i := range c.Overall {
		over := &c.Overall[i]
		over.Variants = slices.DeleteFunc(over.Variants, func(v OverallOutcome) bool { return !shown[v.Name] })
		for j, v := range over.Variants {
			over.Variants[j].Against = slices.DeleteFunc(v.Against,
				func(a OverallContrast) bool { return !shown[a.Baseline] })
		}
	}
}

// outcomesOf returns what is compared in a study, without variants yet: all first outcomes, then the second ones.
func outcomesOf(s *runset.Study) (all []SettingComparison) {
	for second := range 2 {
		for _, setting := range s.Settings {
			outcomes := setting.Outcomes()
			if second >= len(outcomes) {
				continue
			}
			if second > 0 {
				setting.Label, setting.Part = fmt.Sprintf("%s, %s", setting.Text(), outcomes[second].Measure), ""
			}
			setting.Outcome, setting.Second = outcomes[second], nil
			all = append(all, SettingComparison{Setting: setting})
		}
	}
	return all
}

// read reads the outcomes of the setting's variants. Other processes can write between the runs.
func (s *SettingComparison) read(ctx context.Context, store *tracker.Store, plan *runset.Plan,
	runs []report.Run) error {
	var groups []Group
	for _, v := range plan.Study.Variants {
		name := v.Name
		var own []report.Run
		for _, r := range runs {
			if p := r.Places[0]; p.Setting.Name == s.Name && p.Variant.Name == name {
				own = append(own, r)
			}
		}
		slices.SortFunc(own, func(a, b report.Run) int { return cmp.Compare(a.Seed, b.Seed) })
		if err := checkMeasures(own, []string{s.Measure}); err != nil && len(own) > 0 {
			return err
		}
		g, err := read(ctx, store, []string{s.Measure}, name, own)
		if err != nil {
			return err
		}
		if groups = append(groups, g); len(own) > 0 {
			s.within = s.within.including(g.rangeOf(s.Measure))
		}
	}
	last := plan.Iterations - 1
	from := last
	if s.Over == runset.OverMean {
		from = min(1, last)
	}
	for i, outcomes := range Outcomes(groups, s.Measure, from, last) {
		if err := s.add(ctx, plan.Study, i, outcomes); err != nil {
			return err
		}
	}
	return nil
}

// add adds the outcomes of the i-th variant of a study.
func (s *SettingComparison) add(ctx context.Context, of *runset.Study, i int, outcomes []Outcome) error {
	v := VariantOutcome{
		Variant: of.Variants[i], Place: i, Outcomes: append([]Outcome{}, outcomes...),
		Summary: summariseOutcomes(outcomes, s.within), Against: contrastsOf(of, i),
		Profile: stats.Profile(ValuesOf(outcomes)),
	}
	iqm, err := stats.IQM(ctx, ValuesOf(outcomes))
	if iqm != nil {
		v.IQMLow, v.IQMHigh = iqm.Low, iqm.High
	}
	s.Variants = append(s.Variants, v)
	return err
}

// contrastsOf returns the contrasts of the i-th variant of a study, still empty.
func contrastsOf(s *runset.Study, i int) []VariantContrast {
	contrasts := []VariantContrast{}
	for j, v := range s.Variants {
		at := slices.Index(s.Baselines, v.Name)
		own := slices.Index(s.Baselines, s.Variants[i].Name)
		if s.AllPairs && j < i || !s.AllPairs && at >= 0 && j != i && (own < 0 || at < own) {
			contrasts = append(contrasts, VariantContrast{Baseline: v.Name})
		}
	}
	return contrasts
}

// settle compares the variants, with p-values and intervals adjusted for the number of comparisons that the study plans
// in all settings, so that they do not depend on which are shown.
func (c *StudyComparison) settle(of *runset.Study) {
	c.Comparisons = len(c.Settings) * countContrasts(of)
	c.EachLevel = c.levelOf(c.Comparisons)
	var all []*VariantContrast
	var p, ranks []*float64
	for _, in := range c.Settings {
		for _, v := range in.Variants {
			for k := range v.Against {
				a := &v.Against[k]
				baseline := in.variant(a.Baseline).Outcomes
				a.compare(baseline, v.Outcomes, c.EachLevel)
				in.within.clip(&a.Effect)
				a.Ceiling = in.within.ceiling(in.Measure, slices.Concat(ValuesOf(baseline), ValuesOf(v.Outcomes))...)
				all, p, ranks = append(all, a), append(p, a.PValue), append(ranks, a.RankPValue)
			}
		}
	}
	p, ranks = c.adjust(p), c.adjust(ranks)
	for i, a := range all {
		a.Adjusted, a.RankAdjusted, a.Verdict = p[i], ranks[i], stats.Settle(p[i], a.Difference)
	}
}

// countContrasts returns how many contrasts the variants of a study have.
func countContrasts(of *runset.Study) (n int) {
	for i := range of.Variants {
		n += len(contrastsOf(of, i))
	}
	return n
}

// levelOf returns the level of each of so many intervals.
func (c *StudyComparison) levelOf(intervals int) float64 {
	if c.Correction == runset.Holm {
		return stats.Bonferroni(c.Level, intervals)
	}
	return c.Level
}

// adjust adjusts p-values as the study says. By Holm's method, one that is nil, of a comparison that is not made yet,
// counts as 1. That is conservative: once it is known, the others stay or become smaller.
func (c *StudyComparison) adjust(p []*float64) []*float64 {
	if c.Correction != runset.Holm {
		return p
	}
	values, adjusted := make([]float64, len(p)), make([]*float64, len(p))
	for i, x := range p {
		if values[i] = 1; x != nil {
			values[i] = *x
		}
	}
	for i, x := range stats.Holm(values) {
		if p[i] != nil {
			adjusted[i] = &x
		}
	}
	return adjusted
}

// compare compares outcomes with the outcomes of a baseline: by pairs if two seeds are shared.
func (c *VariantContrast) compare(baseline, outcomes []Outcome, level float64) {
	if pairs := pairBySeed(baseline, outcomes); len(pairs) > 1 {
		c.Pairs, c.Effect, c.RankPValue = new(len(pairs)), stats.ComparePairs(pairs, level), stats.SignedRank(pairs)
		return
	}
	a, b := ValuesOf(baseline), ValuesOf(outcomes)
	c.Effect, c.RankPValue = stats.Compare(a, b, level), stats.RankSum(a, b)
}

// variant returns the variant of that name, nil if it is not shown.
func (s *SettingComparison) variant(name string) *VariantOutcome {
	if i := s.variantIndex(name); i >= 0 {
		return &s.Variants[i]
	}
	return nil
}

func (s *SettingComparison) variantIndex(name string) int {
	return slices.IndexFunc(s.Variants, func(v VariantOutcome) bool { return v.Name == name })
}

// IsTested reports whether some comparison has a verdict.
func (c *StudyComparison) IsTested() bool {
	return slices.ContainsFunc(c.Settings, func(in SettingComparison) bool {
		return slices.ContainsFunc(in.Variants, func(v VariantOutcome) bool {
			return slices.ContainsFunc(v.Against, func(a VariantContrast) bool { return a.Verdict != stats.Untested })
		})
	})
}

// LabelFields returns where the labels of the settings and variants are, by their names.
func (c *StudyComparison) LabelFields() map[string][]*string {
	fields := map[string][]*string{}
	for i := range c.Settings {
		in := &c.Settings[i]
		name := in.Name
		if len(fields[name]) > 0 { // by its second outcome, which has a label of its own
			name = in.Label
		}
		fields[name] = append(fields[name], &in.Label)
		for j := range in.Variants {
			v := &in.Variants[j]
			fields[v.Name] = append(fields[v.Name], &v.Label)
		}
	}
	fields[c.Unit.Name] = append(fields[c.Unit.Name], &c.Unit.Label)
	for i := range c.Overall {
		for j := range c.Overall[i].Variants {
			v := &c.Overall[i].Variants[j]
			fields[v.Name] = append(fields[v.Name], &v.Label)
		}
	}
	return fields
}

// What a settled verdict says in a setting, by whether more or less is better there.
const (
	Better = "better"
	Worse  = "worse"
)

// Judge returns [Better] or [Worse] if the verdict is settled, otherwise the verdict itself.
func (s *SettingComparison) Judge(v stats.Verdict) string {
	switch {
	case !v.IsSettled():
		return string(v)
	case (v == stats.More) != s.Lower:
		return Better
	}
	return Worse
}

// WhyUntested returns why a variant beside a baseline has no p-value.
func (s *SettingComparison) WhyUntested(v VariantOutcome, a VariantContrast) string {
	baseline := s.variant(a.Baseline)
	switch n := min(v.N, baseline.N); {
	case min(len(v.Outcomes), len(baseline.Outcomes)) == 0:
		return "no run yet"
	case n == 0:
		return "no run has a value"
	case n == 1:
		return "one seed"
	case a.Difference == nil || a.Difference.Value == 0:
		return "all differences are 0"
	}
	return "all differences are equal"
}
