package group

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

const adjustment = "Holm" // of p-values for the number of groups

// Contrasts compares several groups with the first one, the baseline, by measure and iteration.
type Contrasts struct {
	By           []string           `json:"by,omitempty"` // fields by which the runs were split
	Baseline     string             `json:"baseline"`     // what people call it
	Groups       []Group            `json:"groups"`       // the baseline first
	Fields       []FieldValues      `json:"fields"`       // that are not the same in all runs
	Environments []string           `json:"environments"` // fields in which the environments differ
	Shared       []Member           `json:"shared"`       // runs of several groups
	Pairings     []*Pairing         `json:"pairings"`     // by group, nil for the baseline and without pairing
	Level        float64            `json:"level"`        // at which all intervals of a row hold together
	EachLevel    float64            `json:"each_level"`   // of each interval, by Bonferroni
	Adjustment   string             `json:"adjustment"`   // of p-values, over the groups
	Intervals    Intervals          `json:"intervals"`
	Last         int                `json:"last"` // iteration that all groups have
	Measures     []MeasureContrasts `json:"measures"`
	Notes        []string           `json:"notes"` // of what prints the comparison: what the numbers do not say
}

// FieldValues holds the values of a field of the spec in each group, or of each variant of a study.
type FieldValues struct {
	Field  string     `json:"field"`
	Values [][]string `json:"values"`
}

// MeasureContrasts compares a measure over the iterations.
type MeasureContrasts struct {
	Measure    string        `json:"measure"`
	Iterations []ContrastRow `json:"iterations"`
}

// ContrastRow compares a measure in iteration K.
type ContrastRow struct {
	K      int            `json:"k"`
	Groups []GroupOutcome `json:"groups"`
}

// GroupOutcome is a measure of a group in one iteration, and how it differs from the baseline.
type GroupOutcome struct {
	stats.Summary
	Against *Contrast `json:"against_baseline"` // nil for the baseline
}

// Contrast compares a group with the baseline.
type Contrast struct {
	Pairs *int `json:"pairs"` // nil where nothing was paired
	stats.Effect
	Adjusted *float64      `json:"p_holm"`  // the p-value, adjusted for the number of groups
	Verdict  stats.Verdict `json:"verdict"` // of the group beside the baseline
	Ceiling  string        `json:"ceiling"` // says that all values of both are the most there is, "" if they are not
}

// Compare compares groups with the first one in the given measures. field is the spec field to pair by, "" for none.
func Compare(ctx context.Context, groups []Group, field string, measures []string) (Contrasts, error) {
	reach := Reach(groups)
	var runs []report.Run
	setBudgets(groups)
	for i := range groups {
		groups[i].Lacks = groups[i].missingRuns(reach)
		runs = append(runs, groups[i].runs...)
	}
	c := Contrasts{
		Baseline: NameOf(groups, 0), Groups: groups,
		Environments: differingEnvFields(runs), Shared: sharedRuns(groups), Level: stats.Level,
		EachLevel: stats.Bonferroni(stats.Level, len(groups)-1), Adjustment: adjustment,
		Intervals: intervalsOf(field != ""), Last: LastShared(groups), Pairings: make([]*Pairing, len(groups)),
		Fields: varyingFields(groups, runs),
	}
	for i := range groups[1:] {
		if field == "" {
			break
		}
		var err error
		if c.Pairings[i+1], err = newPairing(&groups[0], &groups[i+1], Letter(0), Letter(i+1), field); err != nil {
			return c, err
		}
	}
	for _, name := range measures {
		m := MeasureContrasts{Measure: name}
		for k := range reach {
			if err := stopped(ctx); err != nil {
				return c, err
			}
			m.Iterations = append(m.Iterations, c.row(name, k))
		}
		c.Measures = append(c.Measures, m)
	}
	return c, nil
}

func (c *Contrasts) row(measure string, k int) ContrastRow {
	row := ContrastRow{K: k}
	var p []*float64
	for i := range c.Groups {
		o := GroupOutcome{Summary: c.Groups[i].summary(measure, k)}
		if i > 0 {
			a, b := &c.Groups[0], &c.Groups[i]
			r := a.rangeOf(measure).including(b.rangeOf(measure))
			o.Against = &Contrast{Ceiling: r.ceiling(measure, slices.Concat(a.valuesOf(measure, k), b.valuesOf(measure, k))...)}
			o.Against.Effect, o.Against.Pairs = effect(a, b, c.Pairings[i], measure, k, c.EachLevel)
			r.clip(&o.Against.Effect)
			p = append(p, o.Against.PValue)
		}
		row.Groups = append(row.Groups, o)
	}
	for i, adjusted := range stats.HolmOf(p) {
		a := row.Groups[i+1].Against
		a.Adjusted, a.Verdict = adjusted, stats.Settle(adjusted, a.Difference)
	}
	return row
}

// varyingFields returns the fields of the spec that are not the same in all runs: first those that tell groups apart.
func varyingFields(groups []Group, runs []report.Run) []FieldValues {
	telling, others := []FieldValues{}, []FieldValues{}
	for _, name := range report.SpecFields(runs) {
		f := fieldValues(groups, name)
		switch {
		case len(report.FieldValues(runs, name)) < 2:
		case f.tells():
			telling = append(telling, f)
		default:
			others = append(others, f)
		}
	}
	return append(telling, others...)
}

// fieldValues returns the values of a field in each group.
func fieldValues(groups []Group, field string) FieldValues {
	f := FieldValues{Field: field}
	for _, g := range groups {
		f.Values = append(f.Values, report.FieldValues(g.runs, field))
	}
	return f
}

// tells reports whether the field has other values in one group than in another.
func (f FieldValues) tells() bool {
	return slices.ContainsFunc(f.Values, func(v []string) bool { return !slices.Equal(v, f.Values[0]) })
}

// sharedRuns returns the runs that are in several groups.
func sharedRuns(groups []Group) []Member {
	shared, times := []Member{}, map[schema.Digest]int{}
	for _, g := range groups {
		for _, m := range g.Runs {
			if times[m.Run]++; times[m.Run] == 2 {
				shared = append(shared, m)
			}
		}
	}
	return shared
}

// chooseBaseline moves a group of several runs to the front, the first that has a value of every field by which the
// groups were split, if there is one: a single run tests nothing.
func chooseBaseline(groups []Group) {
	for i, g := range groups {
		if g.isTestable() && !slices.Contains(g.Values, "") {
			moveToFront(groups, i)
			return
		}
	}
}

// isTestable reports whether two runs of the group have an iteration.
func (g *Group) isTestable() bool {
	runs := 0
	for _, h := range g.histories {
		if len(h) > 0 {
			runs++
		}
	}
	return runs > 1
}

// TestsNothing reports whether the first group is a single run, while another one has several: a poor baseline.
func TestsNothing(groups []Group) bool {
	return !groups[0].isTestable() && slices.ContainsFunc(groups[1:], func(g Group) bool { return g.isTestable() })
}

// moveToFront moves the i-th group before the others.
func moveToFront(groups []Group, i int) {
	first := groups[i]
	copy(groups[1:i+1], groups[:i])
	groups[0] = first
}

// moveBaseline moves the group with the given values to the front, such as as-published or 1,as-written.
func moveBaseline(groups []Group, by []string, values string) error {
	named := func(g Group) string { return strings.Join(g.Values, ",") }
	at := slices.IndexFunc(groups, func(g Group) bool { return named(g) == values })
	if at < 0 {
		all := textfmt.Map(groups, named)
		return schema.Hint(fmt.Errorf("%w: no group of %s has the values %q", ErrBy, strings.Join(by, ","), values), "%s",
			textfmt.DidYouMean(values, "groups", all))
	}
	moveToFront(groups, at)
	return nil
}

// Intervals names the method of each interval.
type Intervals struct {
	Mean        string `json:"mean"`
	Difference  string `json:"difference"`
	Improvement string `json:"improvement"`
}

// intervalsOf returns the methods of a comparison, of pairs or not.
func intervalsOf(paired bool) Intervals {
	of := Intervals{Mean: stats.StudentT, Difference: stats.WelchT, Improvement: stats.Newcombe}
	if paired {
		of.Difference = stats.PairedT
	}
	return of
}

// stopped returns an error if the context of the comparison is done.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w; a comparison changes nothing", replay.ErrInterrupted),
		"rerun the command to start again; --measure takes fewer")
}

// effect compares a measure of two groups in one iteration. It returns the number of pairs, nil without pairing.
func effect(a, b *Group, p *Pairing, measure string, k int, level float64) (stats.Effect, *int) {
	if p == nil {
		return stats.Compare(a.valuesOf(measure, k), b.valuesOf(measure, k), level), nil
	}
	var pairs []stats.Pair // of the runs that both have the measure
	for _, c := range p.runPairs {
		x, _ := a.value(c.a, measure, k)
		y, _ := b.value(c.b, measure, k)
		if x != nil && y != nil {
			pairs = append(pairs, stats.Pair{A: *x, B: *y})
		}
	}
	return stats.ComparePairs(pairs, level), new(len(pairs))
}

// differingEnvFields returns the fields in which the runs' environments differ.
func differingEnvFields(runs []report.Run) []string {
	fields := []string{}
	for _, field := range report.SpecFields(runs) {
		of := func(r report.Run) bool { _, is := r.Spec.Env.Params[field]; return is || field == "env" }
		if slices.ContainsFunc(runs, of) && len(report.FieldValues(runs, field)) > 1 {
			fields = append(fields, field)
		}
	}
	other := func(r report.Run) bool { return r.Spec.Env.Version != runs[0].Spec.Env.Version }
	if slices.ContainsFunc(runs, other) {
		fields = append(fields, "version")
	}
	return fields
}

// runPair is a run of a and its partner in b, as indices in the groups.
type runPair struct{ a, b int }

// newPairing pairs the runs of a and b with the same value of a field. Errors call the groups by the given names.
func newPairing(a, b *Group, nameA, nameB, field string) (*Pairing, error) {
	inA, err := a.indexByField(nameA, field)
	if err != nil {
		return nil, err
	}
	inB, err := b.indexByField(nameB, field)
	if err != nil {
		return nil, err
	}
	p := &Pairing{Field: field, UnpairedA: []Member{}, UnpairedB: []Member{}}
	for i, r := range a.runs {
		value, _ := r.Spec.Get(field)
		if j, ok := inB[value]; ok {
			p.runPairs = append(p.runPairs, runPair{i, j})
		} else {
			p.UnpairedA = append(p.UnpairedA, member(r))
		}
	}
	for _, r := range b.runs {
		value, _ := r.Spec.Get(field)
		if _, paired := inA[value]; !paired {
			p.UnpairedB = append(p.UnpairedB, member(r))
		}
	}
	if p.Pairs = len(p.runPairs); p.Pairs == 0 {
		return nil, schema.Hint(
			fmt.Errorf("%w: no run of %s has the %s of a run of %s", ErrPairing, nameA, field, nameB),
			"pair by a field whose values both groups have, or leave --paired out")
	}
	return p, nil
}

// indexByField returns the index of the group's run for each value of the field. Each value may have one run.
func (g *Group) indexByField(group, field string) (map[string]int, error) {
	places := map[string]int{}
	for i, r := range g.runs {
		value, ok := r.Spec.Get(field)
		if !ok {
			return nil, schema.Hint(fmt.Errorf("%w: the spec of run %s has no field %q", ErrPairing, r.Label(), field),
				"%s", textfmt.DidYouMean(field, "fields", report.SpecFields(g.runs)))
		}
		if first, ok := places[value]; ok {
			return nil, schema.Hint(
				fmt.Errorf("%w: group %s has several runs of %s %s: %s, %s", ErrPairing, group, field, value,
					g.runs[first].Label(), r.Label()),
				"%s", g.ambiguityHint(first, i, field))
		}
		places[value] = i
	}
	return places, nil
}

// ambiguityHint returns a hint how to tell two runs of a group apart.
func (g *Group) ambiguityHint(i, j int, field string) string {
	for _, d := range report.SpecDifferences(g.runs[i].Spec, g.runs[j].Spec) {
		if d.Field != field {
			return fmt.Sprintf("each value may have one run: these differ in %s, so add %s or %s to the filter", d.Field,
				report.FormatTerm(d.Field, d.A), report.FormatTerm(d.Field, d.B))
		}
	}
	return "each value may have one run, and one of these is a fork: add a term such as name=… or parent=… to the filter"
}

// Pairing lists the pairs of runs.
type Pairing struct {
	Field     string   `json:"field"`
	Pairs     int      `json:"pairs"`
	UnpairedA []Member `json:"alone_a"` // without a partner
	UnpairedB []Member `json:"alone_b"`

	runPairs []runPair
}
