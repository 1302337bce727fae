package diff

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Pair is a pair of matched eigenpurposes, one of A and one of B, and how similar their options are.
type Pair struct {
	A       string  `json:"a"` // RUN:K/J±
	B       string  `json:"b"`
	NumberA *int    `json:"number_a"` // of the option; nil if the purpose has none
	NumberB *int    `json:"number_b"`
	Cosine  float64 `json:"cosine"`  // cos_M
	Matched bool    `json:"matched"` // the cosine reaches the threshold
	SigmaA  float64 `json:"sigma_a"`
	SigmaB  float64 `json:"sigma_b"`

	*BehaviourSimilarity // nil for runs without a model

	order [2]int // positions in A's and B's option order
}

func (p *Pair) swap() {
	p.A, p.B, p.SigmaA, p.SigmaB = p.B, p.A, p.SigmaB, p.SigmaA
	p.NumberA, p.NumberB = p.NumberB, p.NumberA
	p.order[0], p.order[1] = p.order[1], p.order[0]
	if p.BehaviourSimilarity != nil {
		for i, c := range p.States {
			p.States[i].A, p.States[i].B = c.B, c.A
		}
	}
}

// SigmaChange returns σ_B − σ_A.
func (p Pair) SigmaChange() float64 { return p.SigmaB - p.SigmaA }

// BehaviourSimilarity describes how similarly two options behave in the states in which at least one of them acts,
// those outside T_A ∩ T_B. ⊥ counts as an action. A fraction is 1 if there are none. They are I_A ∪ I_B, unless an
// option has a single start.
type BehaviourSimilarity struct {
	// Similarity is the share of the steps that begin in a state from which both options do the same: they take the
	// same action there, or equally good ones, and end in the same state. It counts the steps of both iterations that
	// begin in these states. If there are none, it is the share of the states.
	Similarity float64 `json:"option_similarity"`

	Policy   float64  `json:"policy_agreement"`        // share of states in which both take the same action
	Ties     float64  `json:"policy_agreement_ties"`   // share of states in which some action is greedy for both
	Visits   *float64 `json:"policy_agreement_visits"` // Policy, weighted by visits; nil if there are none
	Jaccard  float64  `json:"initiation_jaccard"`      // |I_A ∩ I_B| / |I_A ∪ I_B|
	Terminal float64  `json:"terminal_agreement"`      // share of states from which both end in the same state
	RMSE     float64  `json:"value_rmse"`              // of v, over all states
	Visited  *float64 `json:"value_rmse_visits"`       // RMSE, weighted by visits; nil if there are none
	Largest  float64  `json:"value_max"`               // largest absolute difference of v

	Differing int            `json:"differing"` // number of states in which the actions differ
	States    []Disagreement `json:"states"`    // the first of these states
}

// Disagreement is a state in which two options take different actions. −1 is ⊥.
type Disagreement struct {
	State int  `json:"state"`
	A     int8 `json:"a"`
	B     int8 `json:"b"`
}

const shownStates = 10 // of BehaviourSimilarity.States

// compareBehaviours compares two options of one environment. visits says how often each state was visited.
func compareBehaviours(a, b *behaviours.Behaviour, visits []behaviours.StateVisits) *BehaviourSimilarity {
	l := &BehaviourSimilarity{Similarity: behaviours.Similarity(a, b, visits), States: []Disagreement{}}
	var n stateCounts
	for block := range a.Inside {
		for differ := n.add(a, b, block); differ != 0; differ &= differ - 1 {
			if l.Differing++; l.Differing <= shownStates {
				s := 64*block + bits.TrailingZeros64(differ)
				l.States = append(l.States, Disagreement{State: s, A: a.Policy[s], B: b.Policy[s]})
			}
		}
	}
	share := behaviours.ShareOf[int]
	l.Policy, l.Ties, l.Visits = share(n.same, n.all), share(n.tied, n.all), visitAgreement(a, b, visits)
	l.Jaccard, l.Terminal = share(n.both, n.either), share(n.ends, n.all)
	l.RMSE, l.Largest = valueDifference(a.Value, b.Value)
	l.Visited = visitedDifference(a.Value, b.Value, visits)
	return l
}

// stateCounts counts the states in which at least one of two options acts.
type stateCounts struct {
	all    int
	either int // those in I_A ∪ I_B
	both   int // those in I_A ∩ I_B
	same   int // those in which both take the same action
	tied   int // those in which some action is greedy for both
	ends   int // those from which both end in the same state
}

// add counts the states of a block of 64. It returns a mask of those in which the actions differ.
func (s *stateCounts) add(a, b *behaviours.Behaviour, block int) (differ uint64) {
	all := a.Inside[block] | b.Inside[block]
	var same, tied uint64
	for action := range a.Acts {
		same |= a.Acts[action][block] & b.Acts[action][block]
	}
	for action := range a.Greedy {
		tied |= a.Greedy[action][block] & b.Greedy[action][block] & all
	}
	s.all += bits.OnesCount64(all)
	s.either += bits.OnesCount64(a.Starts[block] | b.Starts[block])
	s.both += bits.OnesCount64(a.Starts[block] & b.Starts[block])
	s.same += bits.OnesCount64(same)
	s.tied += bits.OnesCount64(tied)
	for left := all; left != 0; left &= left - 1 {
		state := 64*block + bits.TrailingZeros64(left)
		if end := a.Ends[state]; end == b.Ends[state] && end != envs.Never {
			s.ends++
		}
	}
	return all &^ same
}

// visitAgreement returns the share of visits to states in which at least one option acts, in whose
// state both policies take the same action, or nil if there were no such visits.
func visitAgreement(a, b *behaviours.Behaviour, visits []behaviours.StateVisits) *float64 {
	var part, whole int64
	for _, v := range visits {
		if !a.Inside.Has(v.State) && !b.Inside.Has(v.State) {
			continue
		}
		whole += v.Steps
		if a.Policy[v.State] == b.Policy[v.State] {
			part += v.Steps
		}
	}
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}

// visitedDifference returns the RMSE of v over the visited states, weighted by their visits, or nil if there are none.
func visitedDifference(a, b schema.Value, visits []behaviours.StateVisits) *float64 {
	steps, all, sum := make([]int64, min(len(a), len(b))), int64(0), 0.0
	for _, v := range visits {
		if v.State < len(steps) {
			steps[v.State], all = steps[v.State]+v.Steps, all+v.Steps
		}
	}
	for s, n := range steps { // in an order that does not depend on which run is A
		d := a[s] - b[s]
		sum += float64(n) * d * d
	}
	if all == 0 {
		return nil
	}
	return new(min(math.Sqrt(sum/float64(all)), math.MaxFloat64))
}

// valueDifference returns the root mean square and the largest absolute difference of v over all states.
func valueDifference(a, b schema.Value) (rmse, largest float64) {
	sum := 0.0
	for s, x := range a {
		d := x - b[s]
		sum += d * d
		if d = math.Abs(d); d > largest {
			largest = d
		}
	}
	if len(a) == 0 {
		return 0, 0
	}
	return finite(math.Sqrt(sum / float64(len(a)))), finite(largest)
}

// finite returns x, or the largest float64 if x is +Inf, which JSON cannot represent. Only records with
// absurd values lead to that.
func finite(x float64) float64 { return min(x, math.MaxFloat64) }

// OptionReport is the comparison of two options.
type OptionReport struct {
	RunA       schema.Digest           `json:"run_a"`
	RunB       schema.Digest           `json:"run_b"`
	Identical  bool                    `json:"identical"`  // the same records
	Equivalent bool                    `json:"equivalent"` // the purposes and the options are the same, within the limits
	Spec       []report.SpecDifference `json:"spec"`
	Pair       Pair                    `json:"pair"`      // with cos_M signed
	Threshold  float64                 `json:"threshold"` // of cos_M
	Agreement  float64                 `json:"agreement"` // least similarity of options
	Chance     ChanceLevel             `json:"chance"`    // of two random purposes
	Actions    []string                `json:"actions"`
	Features   []string                `json:"features"`
	VectorA    []float64               `json:"vector_a"`
	VectorB    []float64               `json:"vector_b"`
}

// CompareOptions compares two options.
func CompareOptions(
	ctx context.Context, a *Side, of report.Ref, b *Side, with report.Ref, limits Limits,
) (OptionReport, error) {
	var r OptionReport
	of, err := report.ResolveRef(a.Records, of)
	if err != nil {
		return r, err
	}
	if with, err = report.ResolveRef(b.Records, with); err != nil {
		return r, err
	}
	if err := cmp.Or(checkComparable(a, b), a.CheckIteration(of.K), b.CheckIteration(with.K)); err != nil {
		return r, err
	}
	m, err := a.metric(ctx, b)
	if err != nil {
		return r, err
	}
	x, i, err := a.findPurpose(of)
	if err != nil {
		return r, err
	}
	y, j, err := b.findPurpose(with)
	if err != nil {
		return r, err
	}
	p, q := x.Purposes[i], y.Purposes[j]
	limits = limits.WithDefaults()
	chance, err := m.chance(ctx, 1, 1)
	if err != nil {
		return r, err
	}
	r = OptionReport{
		RunA: a.ID, RunB: b.ID,
		Spec: report.SpecDifferences(a.SpecAt(of.K), b.SpecAt(with.K)), Chance: chance,
		Agreement: limits.Agreement, Actions: a.Env.Actions(), Features: a.Env.Features(), VectorA: p.Vector,
		VectorB: q.Vector, Threshold: limits.Cosine,
	}
	c := m.Cos(p.coordinates(), q.coordinates())
	r.Pair = Pair{
		A: p.Ref, B: q.Ref, NumberA: p.Number, NumberB: q.Number, Cosine: c, Matched: c >= r.Threshold, SigmaA: p.Sigma,
		SigmaB: q.Sigma,
	}
	pair := comparison{sets: [2]*optionSet{x, y}, visits: slices.Concat(x.Visits, y.Visits)}
	alike, err := pair.compareOptions([]int{i}, []int{j})
	if err != nil {
		return r, err
	}
	r.Pair.BehaviourSimilarity = alike[0]
	r.Equivalent = r.Pair.Matched && (r.Pair.BehaviourSimilarity == nil || r.Pair.Similarity >= limits.Agreement)
	r.Identical = a.recordNames(of.K, i) == b.recordNames(with.K, j) && reflect.DeepEqual(p.Purpose, q.Purpose)
	return r, nil
}

// findPurpose returns the purpose that a reference names, in the set of its iteration.
func (s *Side) findPurpose(ref report.Ref) (*optionSet, int, error) {
	at, err := report.FindPurpose(s.Records, ref)
	if err != nil {
		return nil, 0, err
	}
	set, err := s.optionSet(ref.K)
	return set, at, err
}

// recordNames returns the digests of the records of iteration k's option i: its values or weights,
// and the option. Both are zero if purposes have no options.
func (s *Side) recordNames(k, i int) [2]schema.Digest {
	options, learned := s.Iterations[k].RecordsOf(schema.KindOption), recorded.LearnedEntries(s.Iterations[k])
	if i >= len(options) || i >= len(learned) {
		return [2]schema.Digest{}
	}
	return [2]schema.Digest{learned[i].Name, options[i]}
}
