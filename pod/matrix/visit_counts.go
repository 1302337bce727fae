package matrix

import (
	"maps"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// visitCounts counts how often each state was visited: once for each transition that ends in it, and
// once for each iteration and episode that begins in it.
//
// Its matrix is one row, 1/√n(s), the bonus of count-based exploration (Strehl & Littman, Journal of
// Computer and System Sciences 74, 2008; Bellemare et al., NIPS 2016). So there is one direction, of
// σ = √Σ 1/n(s), and the option of its positive sign leads to where the agent rarely was.
type visitCounts struct {
	touchedStates
	counts map[int32]int64 // by state
	begins bool            // the next transition begins an iteration or an episode
}

func newVisitCounts(spec schema.Spec) *visitCounts {
	return &visitCounts{touchedStates: newTouchedStates(spec), counts: map[int32]int64{}, begins: true}
}

func (v *visitCounts) Begin() { v.begins = true }

func (v *visitCounts) Observe(m envs.Transition, resets bool) {
	if v.isFull() {
		return
	}
	v.placeOf(m.State)
	v.placeOf(m.Next)
	if v.begins || v.counts[m.State] == 0 { // 0 if the transitions before it were left out
		v.counts[m.State]++
	}
	v.counts[m.Next]++
	v.begins = resets
}

func (v *visitCounts) Clone() StateMatrix {
	return &visitCounts{touchedStates: v.clone(), counts: maps.Clone(v.counts), begins: v.begins}
}

func (v *visitCounts) Dataset(states int) (linalg.Dataset, error) {
	return v.dataset(states, []stateRow{func(visit func(place int, x float64)) {
		for place, s := range v.states {
			visit(place, 1/math.Sqrt(float64(v.counts[s])))
		}
	}})
}
