package diff

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/replay/stats"
)

// Agreement compares the sets that the runs of a group selected in one iteration with random sets of the same sizes.
// Two sets are matched so that the sum of the pairs' similarities is maximal; their similarity is the mean over these
// pairs.
type Agreement struct {
	Of         Kind     `json:"of"`
	K          int      `json:"k"`
	Runs       int      `json:"runs"`       // whose set is not empty
	Size       float64  `json:"size"`       // mean size of these sets
	Observed   *float64 `json:"observed"`   // mean over pairs of runs, nil for fewer than two runs
	Low        *float64 `json:"low"`        // of its 95 % interval: jackknife over runs
	High       *float64 `json:"high"`       //
	Chance     *float64 `json:"chance"`     // the same for random sets of the same sizes, nil without them
	References int      `json:"references"` // random sets
	P          *float64 `json:"p"`          // one-sided, see [stats.Permutation]
	Adjusted   *float64 `json:"p_holm"`     // for the number of iterations
	Above      bool     `json:"above_chance"`
	Excess     *float64 `json:"excess"`      // observed − chance
	ExcessLow  *float64 `json:"excess_low"`  // of its interval, see [stats.Permutation.Excess]
	ExcessHigh *float64 `json:"excess_high"` //
	Unknown    string   `json:"unknown"`     // why there is no chance level, else ""

	Verdict     stats.Verdict `json:"verdict"`      // on the excess
	ExcessLevel float64       `json:"excess_level"` // of its interval, by Bonferroni for the number of iterations
}

// agreementTable compares the sets of each iteration.
type agreementTable struct {
	*pool
	excess  []*stats.Deviation // by iteration, nil where there is no chance level
	draws   int
	matches map[[2]int]setMatch // of two random sets, by the first item of each
}

// agreements returns the Agreement of each iteration, and adds its matches to the matrix runs.
func (a *agreementTable) agreements(ctx context.Context, runs [][]setMatch) ([]Agreement, error) {
	list := []Agreement{}
	for k := range a.iterations() {
		agreement, err := a.agreement(ctx, k, runs)
		if err != nil {
			return nil, err
		}
		list = append(list, agreement)
		a.progress(1 / float64(a.iterations()))
	}
	a.settle(list)
	return list, nil
}

// settle decides for each iteration whether the similarity is above chance. It adjusts p-values and intervals for the
// number of tests.
func (a *agreementTable) settle(list []Agreement) {
	tests, p := 0, make([]*float64, len(list))
	for i, agreement := range list {
		if p[i] = agreement.P; agreement.P != nil {
			tests++
		}
	}
	level := stats.Bonferroni(stats.Level, tests)
	for i, adjusted := range stats.HolmOf(p) {
		agreement := &list[i]
		agreement.Adjusted, agreement.Verdict, agreement.ExcessLevel = adjusted, stats.Untested, level
		if d := a.excess[i]; d != nil {
			within := d.At(level).Within(-*agreement.Chance, 1-*agreement.Chance)
			agreement.Excess, agreement.ExcessLow, agreement.ExcessHigh = &d.Value, within.Low, within.High
			agreement.Verdict = stats.Settle(adjusted, within)
		}
		agreement.Above = agreement.Verdict == stats.More
	}
}

// members are the sets of one iteration, the observed ones first, then the random ones.
type members struct {
	sets     [][]int
	runs     []int // of the observed sets
	observed int
	strata   []stats.Stratum // by size
}

func (a *agreementTable) agreement(ctx context.Context, k int, runs [][]setMatch) (Agreement, error) {
	a.excess = append(a.excess, nil)
	m := a.membersOf(k)
	agreement := Agreement{Of: a.kind, K: k, Runs: m.observed}
	for _, set := range m.sets {
		agreement.Size += float64(len(set)) / float64(m.observed)
	}
	if err := a.addReferences(ctx, m); err != nil {
		return agreement, err
	}
	similarity, err := a.matrix(ctx, m, runs)
	if err != nil {
		return agreement, err
	}
	observed := make([][]float64, m.observed)
	for i := range observed {
		observed[i] = similarity[i][:m.observed]
	}
	if e := stats.MeanOverPairs(observed).Within(0, 1); e != nil {
		agreement.Observed, agreement.Low, agreement.High = &e.Value, e.Low, e.High
	}
	agreement.References = len(m.sets) - m.observed
	if agreement.Unknown = a.unknownChance(m.observed, m.largest()); agreement.Unknown != "" {
		return agreement, nil
	}
	p := stats.Permutation{Similarity: similarity, Strata: m.strata, Draws: a.draws, Use: fmt.Sprint(a.kind, " ", k)}
	agreement.Chance = new(p.Chance())
	a.excess[k] = p.Excess()
	test, err := p.Test(ctx)
	agreement.P = &test
	return agreement, err
}

// The reasons why there is no chance level.
const (
	unknownFew   = "one run" // or no run with anything to compare
	unknownModel = "no model"
	unknownFlat  = "nothing varies"
)

// unknownChance returns why the sets of that many runs cannot be compared with random ones of up to the given size, ""
// if they can.
func (p *pool) unknownChance(runs, largest int) string {
	switch {
	case runs < 2:
		return unknownFew
	case p.addReference != nil && p.takesTooLong(largest):
		return unknownTooLong
	case p.addReference != nil:
		return ""
	case p.kind == Options && !p.modelled:
		return unknownModel
	}
	return unknownFlat
}

// membersOf returns the sets of iteration k that are not empty, with one stratum for each size.
func (p *pool) membersOf(k int) *members {
	m := &members{}
	for run, byK := range p.sets {
		if k < len(byK) && len(byK[k]) > 0 {
			m.runs, m.sets = append(m.runs, run), append(m.sets, byK[k])
		}
	}
	m.observed = len(m.sets)
	for i, set := range m.sets {
		at := slices.IndexFunc(m.strata, func(s stats.Stratum) bool { return m.size(s) == len(set) })
		if at < 0 {
			at, m.strata = len(m.strata), append(m.strata, stats.Stratum{})
		}
		s := &m.strata[at]
		s.Members, s.Observed = append(s.Members, i), s.Observed+1
	}
	slices.SortFunc(m.strata, func(x, y stats.Stratum) int { return cmp.Compare(m.size(x), m.size(y)) })
	return m
}

// size returns the size of the sets of a stratum.
func (m *members) size(s stats.Stratum) int { return len(m.sets[s.Members[0]]) }

// largest returns the size of the largest observed set, 0 if there is none.
func (m *members) largest() int {
	if len(m.strata) == 0 {
		return 0
	}
	return m.size(m.strata[len(m.strata)-1])
}

const leastReferences = 4 // of each size

// referencesOf returns the number of random sets of each stratum, in proportion to the observed ones, nil for none.
func (p *pool) referencesOf(m *members) (counts []int) {
	if p.unknownChance(m.observed, m.largest()) != "" {
		return nil
	}
	total := max(p.referenceCount(m.largest()), m.observed)
	for _, s := range m.strata {
		counts = append(counts, max(leastReferences, (total*s.Observed+m.observed-1)/m.observed))
	}
	return counts
}

// addReferences adds random sets of each size.
func (a *agreementTable) addReferences(ctx context.Context, m *members) error {
	for i, n := range a.referencesOf(m) {
		s := &m.strata[i]
		sets, err := a.referenceSets(ctx, m.size(*s), n)
		if err != nil {
			return err
		}
		for _, set := range sets {
			s.Members = append(s.Members, len(m.sets))
			m.sets = append(m.sets, set)
		}
	}
	return nil
}

// matrix returns the similarity of all sets, and adds the matches of observed ones to the matrix runs.
func (a *agreementTable) matrix(ctx context.Context, m *members, runs [][]setMatch) ([][]float64, error) {
	matches, err := a.matchAll(ctx, m)
	if err != nil {
		return nil, err
	}
	similarity := make([][]float64, len(m.sets))
	for i := range m.sets {
		similarity[i] = make([]float64, len(m.sets))
		for j, x := range matches[i] {
			similarity[i][j], similarity[j][i] = x.mean(), x.mean()
			if i < m.observed {
				sum := &runs[m.runs[i]][m.runs[j]]
				sum.sum, sum.pairs = sum.sum+x.sum, sum.pairs+x.pairs
			}
		}
	}
	return similarity, nil
}

// matchAll matches each set with all before it. It caches the matches of random sets, which several iterations use.
func (a *agreementTable) matchAll(ctx context.Context, m *members) ([][]setMatch, error) {
	all := make([][]setMatch, len(m.sets))
	similarities := a.items.similarities(m.sets)
	err := inParallel(ctx, len(m.sets), func(i int) error {
		all[i] = make([]setMatch, i)
		for j, other := range m.sets[:i] {
			if known, ok := a.matches[[2]int{other[0], m.sets[i][0]}]; ok && j >= m.observed {
				all[i][j] = known
				continue
			}
			weights, err := similarities(j, i)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return err
			}
			all[i][j] = matchSets(weights, len(other), len(m.sets[i]))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, set := range m.sets {
		for j := m.observed; j < i; j++ {
			a.matches[[2]int{m.sets[j][0], set[0]}] = all[i][j]
		}
	}
	return all, nil
}
