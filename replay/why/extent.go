package why

import (
	"cmp"
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
)

// FindExtent returns, without the rest of an audit, where an option acts and how far it leads, and what it does in the
// state that the question names, if any. Both are nil if there are no options, since there is no model.
func FindExtent(ctx context.Context, run *recorded.Records, q Question) (*Extent, *State, error) {
	a, err := newAudit(run, q)
	if err != nil {
		return nil, nil, err
	}
	for _, step := range []func(context.Context, Question) error{
		a.findPurpose, a.checkState, a.learned, a.answerState,
	} {
		if err := step(ctx, q); err != nil {
			return nil, nil, err
		}
	}
	if a.option == nil {
		return nil, nil, nil
	}
	return a.describeExtent(), a.out.State, nil
}

// describeExtent returns where the option acts and how far it leads.
func (a *audit) describeExtent() *Extent {
	out := &Extent{States: len(a.steps), Certificate: a.option.Certificate, Ends: []End{},
		Start: a.option.Purpose.Start, Likely: !a.model().Deterministic()}
	from := map[int32]int{}
	var lengths []int32
	for s, n := range a.steps {
		switch {
		case !a.option.CanStart(s):
		case n == envs.Never:
			out.Never++
		default:
			lengths = append(lengths, n)
			from[a.ends[s]]++
		}
	}
	slices.Sort(lengths)
	for q, x := range map[float64]*int32{0: &out.Lengths.Min, 0.25: &out.Lengths.Q25, 0.5: &out.Lengths.Median,
		0.75: &out.Lengths.Q75, 0.95: &out.Lengths.P95, 1: &out.Lengths.Max} {
		if len(lengths) > 0 {
			*x = lengths[int(q*float64(len(lengths)-1))]
		}
	}
	for s, n := range from {
		out.Ends = append(out.Ends, End{State: int(s), From: n})
	}
	slices.SortFunc(out.Ends, func(x, y End) int { return cmp.Or(y.From-x.From, x.State-y.State) })
	out.DistinctEnd = len(out.Ends)
	out.Ends = out.Ends[:min(len(out.Ends), shownEnds)]
	return out
}

// shownEnds limits the list of end states.
const shownEnds = 20
