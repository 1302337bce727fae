package group

import (
	"fmt"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// runPair is a run of a and its partner in b, as indices in the groups.
type runPair struct{ a, b int }

// newPairing pairs the runs of a and b with the same value of a field. Errors call the groups by the
// given names.
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
		if value, _ := r.Spec.Get(field); !has(inA, value) {
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

func has(places map[string]int, value string) bool { _, ok := places[value]; return ok }

// indexByField returns the index of the group's run for each value of the field. Each value may
// have one run.
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

// pairsOf returns a measure's values in the pairs in which both runs have it.
func pairsOf(a, b *Group, runPairs []runPair, measure string, k int) []stats.Pair {
	var pairs []stats.Pair
	for _, c := range runPairs {
		x, _ := a.value(c.a, measure, k)
		y, _ := b.value(c.b, measure, k)
		if x != nil && y != nil {
			pairs = append(pairs, stats.Pair{A: *x, B: *y})
		}
	}
	return pairs
}

// Pairing lists the pairs of runs.
type Pairing struct {
	Field     string   `json:"field"`
	Pairs     int      `json:"pairs"`
	UnpairedA []Member `json:"alone_a"` // without a partner
	UnpairedB []Member `json:"alone_b"`

	runPairs []runPair
}
