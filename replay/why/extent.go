package why

import (
	"cmp"
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
)

// describeExtent describes where the option acts and how far it leads, if there is an option.
func (a *audit) describeExtent(context.Context) error {
	if a.option == nil {
		return nil
	}
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
	for i := range out.Ends {
		out.Ends[i].Name = envs.FormatState(a.env, out.Ends[i].State)
	}
	if out.Start != nil {
		out.StartName = envs.FormatState(a.env, *out.Start)
	}
	a.out.Acts = out
	return nil
}

// shownEnds limits the list of end states.
const shownEnds = 20

// model returns the model of the environment, or the one that the option's learner estimated.
func (a *audit) model() *envs.Model {
	if a.known == nil {
		if env, ok := envs.As[envs.ModelEnv](a.env); ok {
			a.known = env.Model()
		} else {
			a.known = learn.WithObservedModel(a.env, a.moves).Model()
		}
	}
	return a.known
}
