package group

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// runPair is a run of a and its partner in b, as indices in the groups.
type runPair struct{ a, b int }

// pair returns the pairs of runs of a and b with the same value of a field, and the runs without a
// partner.
func pair(a, b *Group, field string) (runPairs []runPair, alone [2][]Member, err error) {
	inA, err := a.indexByField("a", field)
	if err != nil {
		return nil, alone, err
	}
	inB, err := b.indexByField("b", field)
	if err != nil {
		return nil, alone, err
	}
	alone = [2][]Member{{}, {}}
	for i, r := range a.runs {
		value, _ := r.Spec.Get(field)
		if j, ok := inB[value]; ok {
			runPairs = append(runPairs, runPair{i, j})
		} else {
			alone[0] = append(alone[0], member(r))
		}
	}
	for _, r := range b.runs {
		if value, _ := r.Spec.Get(field); !has(inA, value) {
			alone[1] = append(alone[1], member(r))
		}
	}
	if len(runPairs) == 0 {
		return nil, alone, schema.Advise(fmt.Errorf("%w: no run of a has the %s of a run of b", ErrPairing, field),
			AdviceOtherPairing)
	}
	return runPairs, alone, nil
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
				"the fields are %s", strings.Join(report.SpecFields(g.runs), ", "))
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
			return fmt.Sprintf("each may have one: they differ in %s, so add %s=%s or %s=%s to the filter", d.Field,
				d.Field, d.A, d.Field, d.B)
		}
	}
	return "each may have one: add a term such as name=… or parent=… to the filter, one of them is a fork"
}

// pairsOf returns a measure's values in the pairs in which both runs have it.
func pairsOf(a, b *Group, runPairs []runPair, measure string, k int) []stats.Pair {
	var pairs []stats.Pair
	for _, c := range runPairs {
		x, y := a.value(c.a, measure, k), b.value(c.b, measure, k)
		if x != nil && y != nil {
			pairs = append(pairs, stats.Pair{A: *x, B: *y})
		}
	}
	return pairs
}
