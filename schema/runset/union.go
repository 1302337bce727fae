package runset

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A Union is the set of all runs of several plans, without duplicates. The target of a run that is in several plans is
// the largest of theirs. The memory that a union takes depends on the numbers of specs and of ranges of seeds, not on
// the number of runs.
type Union struct {
	byFamily map[schema.Digest][]goal
	runs     int64
	wanted   int64
}

// A goal is the target of the runs of a range of seeds.
type goal struct {
	seedRange
	iterations int
}

// Unite returns the union of the plans.
func Unite(plans ...*Plan) (*Union, error) {
	u := &Union{byFamily: map[schema.Digest][]goal{}}
	with := map[schema.Digest][]int{} // by family: the plans that have it
	for i, p := range plans {
		families, err := p.specFamilies()
		if err != nil {
			return nil, err
		}
		for _, f := range families {
			with[f] = append(with[f], i)
		}
	}
	shared := map[string][]goal{} // by a list of plans
	for f, list := range with {
		key := make([]byte, 0, 4*len(list))
		for _, i := range list {
			key = append(key, byte(i), byte(i>>8), byte(i>>16), byte(i>>24))
		}
		goals, known := shared[string(key)]
		if !known {
			for _, i := range list {
				goals = uniteGoals(goals, plans[i].goals())
			}
			shared[string(key)] = goals
		}
		u.byFamily[f] = goals
		for _, g := range goals {
			n := int64(g.Last-g.First) + 1
			u.runs += n
			u.wanted += n * int64(g.iterations)
		}
	}
	return u, nil
}

func (p *Plan) goals() []goal {
	goals := make([]goal, len(p.Seeds.ranges))
	for i, r := range p.Seeds.ranges {
		goals[i] = goal{r, p.Iterations}
	}
	return goals
}

// uniteGoals returns the goals of both lists, which are ascending and without overlaps. Where they overlap, the
// larger target counts.
func uniteGoals(a, b []goal) (united []goal) {
	if len(a) == 0 {
		return b
	}
	a, b = slices.Clone(a), slices.Clone(b)
	for len(a) > 0 && len(b) > 0 {
		if b[0].First < a[0].First {
			a, b = b, a
		}
		switch {
		case a[0].Last < b[0].First:
			united, a = append(united, a[0]), a[1:]
		case a[0].First < b[0].First: // only a has these seeds
			head := a[0]
			head.Last = b[0].First - 1
			united, a[0].First = append(united, head), b[0].First
		default: // both begin here
			last := min(a[0].Last, b[0].Last)
			both := goal{seedRange{First: a[0].First, Last: last}, max(a[0].iterations, b[0].iterations)}
			united, a, b = append(united, both), goalsAfter(a, last), goalsAfter(b, last)
		}
	}
	return slices.Concat(united, a, b)
}

// goalsAfter returns the goals without the seeds up to last, all of which are in the first goal. It changes the
// list.
func goalsAfter(goals []goal, last uint64) []goal {
	if goals[0].Last == last {
		return goals[1:]
	}
	goals[0].First = last + 1
	return goals
}

// Len returns the number of runs.
func (u *Union) Len() int64 { return u.runs }

// Wanted returns the number of iterations of all runs.
func (u *Union) Wanted() int64 { return u.wanted }

// Target returns the number of iterations that the run of that family and seed should have, 0 if it is in no
// plan.
func (u *Union) Target(family schema.Digest, seed uint64) int {
	goals := u.byFamily[family]
	i, found := slices.BinarySearchFunc(goals, seed, func(g goal, seed uint64) int {
		switch {
		case g.Last < seed:
			return -1
		case g.First > seed:
			return 1
		}
		return 0
	})
	if !found {
		return 0
	}
	return goals[i].iterations
}
