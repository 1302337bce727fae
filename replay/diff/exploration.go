package diff

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
)

// Exploration compares how two runs explored.
type Exploration struct {
	A      *explore.Summary `json:"a"`
	B      *explore.Summary `json:"b"`
	Shared []Shared         `json:"shared"` // by iteration, as far as both go
}

// Shared is the overlap of the states that two runs visited up to the end of iteration K.
type Shared struct {
	K       int      `json:"k"`
	States  int64    `json:"states"`  // that both visited
	Overlap *float64 `json:"overlap"` // Jaccard index of the visited states; nil without states
}

// CompareExploration compares how two runs of one environment explored.
func CompareExploration(ctx context.Context, a, b *Side) (*Exploration, error) {
	if err := checkComparable(a, b); err != nil {
		return nil, err
	}
	alignStates(a, b)
	e, err := &Exploration{Shared: []Shared{}}, error(nil)
	if e.A, err = explore.ReadRun(a.View, a.Run); err != nil {
		return nil, err
	}
	if e.B, err = explore.ReadRun(b.View, b.Run); err != nil {
		return nil, err
	}
	var inA, inB envs.VisitedSet
	nextA, nextB, both := int64(0), int64(0), int64(0)
	for k := range min(len(e.A.Iterations), len(e.B.Iterations)) {
		itA, itB := e.A.Iterations[k], e.B.Iterations[k]
		if itA.Covered == nil || itB.Covered == nil {
			e.Shared = append(e.Shared, Shared{K: k})
			continue
		}
		for ; nextA < *itA.Covered; nextA++ {
			both += addShared(&inA, &inB, a.numbering.Index(e.A.First[nextA].State))
		}
		for ; nextB < *itB.Covered; nextB++ {
			both += addShared(&inB, &inA, b.numbering.Index(e.B.First[nextB].State))
		}
		e.Shared = append(e.Shared, Shared{K: k, States: both, Overlap: new(float64(both) / float64(nextA+nextB-both))})
	}
	return e, nil
}

// addShared adds a state to one set, and returns 1 if it is in the other one too.
func addShared(to, other *envs.VisitedSet, state int) int64 {
	to.Add(state)
	if other.Has(state) {
		return 1
	}
	return 0
}
