package why

import (
	"cmp"
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
)

// FindExtent returns where an option acts and how far it leads, without the rest of an audit; nil if there is no model
// to learn one in.
func FindExtent(ctx context.Context, run *diff.Run, ref report.Ref) (*Extent, error) {
	q := Question{Ref: ref}
	a, err := newAudit(ctx, run, q)
	if err != nil {
		return nil, err
	}
	if err := a.findPurpose(ctx, q); err != nil {
		return nil, a.newDamageError(err)
	}
	if err := a.learned(ctx, q); err != nil || a.option == nil {
		return nil, a.newDamageError(err)
	}
	return a.describeExtent(), nil
}

// describeExtent returns where the option acts and how far it leads.
func (a *audit) describeExtent() *Extent {
	out := &Extent{States: len(a.steps), Certificate: a.option.Certificate, Ends: []End{},
		Likely: !a.model().Deterministic()}
	from := map[int32]int{}
	var lengths []int32
	for s, n := range a.steps {
		switch {
		case !a.option.CanStart(s):
		case n == pod.Never:
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
