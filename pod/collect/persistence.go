package collect

import (
	"slices"
	"sync"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// A Persistence draws for how many steps an action is taken. [NewPersistence] returns one.
type Persistence struct {
	sums []uint64 // of a zeta distribution: the sums of the weights of 1, 2, … steps; nil for a geometric one
	end  float64  // of a geometric distribution: the probability with which each step is the last
}

// A Hold is an action that the agent takes again without a decision.
type Hold struct {
	Action int
	Steps  int64 // how many more are known of; 0 if the next step is a decision
}

// maxHold is the largest number of steps that a zeta distribution has a weight for. What lies beyond, for z = 2 a
// share of 10⁻⁵, is left out.
const maxHold = 1 << 16

// zetaWeight is the weight of one step; that of n is its quotient by n^z, rounded down. The sum of all is below 2⁶³.
const zetaWeight = 1 << 62

// zetaSums has the sums of weights by exponent, once they are computed.
var zetaSums sync.Map

// NewPersistence returns the draws of a spec's behaviour, nil if each step is a decision.
func NewPersistence(b schema.Behaviour) *Persistence {
	switch p := b.Persistence(); {
	case p.Exponent > 0:
		sums, found := zetaSums.Load(p.Exponent)
		if !found {
			sums, _ = zetaSums.LoadOrStore(p.Exponent, sumZeta(p.Exponent))
		}
		return &Persistence{sums: sums.([]uint64)}
	case p.Mean > 0:
		return &Persistence{end: 1 / p.Mean}
	}
	return nil
}

// sumZeta returns the sums of the weights of 1, 2, … steps, for as many as have one.
func sumZeta(z int) (sums []uint64) {
	total := uint64(0)
	for n := uint64(1); n <= maxHold; n++ {
		weight := uint64(zetaWeight)
		for range z {
			weight /= n
		}
		if weight == 0 {
			break
		}
		total += weight
		sums = append(sums, total)
	}
	return sums
}

// MeanSteps returns the mean number of steps for which an action is taken.
func (p *Persistence) MeanSteps() float64 {
	switch {
	case p == nil:
		return 1
	case p.sums == nil:
		return 1 / p.end
	}
	total := p.sums[len(p.sums)-1]
	beyond := float64(total) // the mean is the sum over n ≥ 0 of the probability of more than n steps
	for _, sum := range p.sums {
		beyond += float64(total - sum)
	}
	return beyond / float64(total)
}

// begin draws how many steps are known to follow the first one of an action.
func (p *Persistence) begin(stream *rng.Stream) int64 {
	if p.sums == nil {
		return p.goOn(stream)
	}
	draw := stream.BelowBound(p.sums[len(p.sums)-1])
	before, _ := slices.BinarySearch(p.sums, draw+1) // the number of sums up to draw
	return int64(before)
}

// goOn draws whether another step is known to follow one that no draw had followed: a geometric distribution draws
// after each step.
func (p *Persistence) goOn(stream *rng.Stream) int64 {
	if p.sums != nil || stream.Chance(p.end) {
		return 0
	}
	return 1
}
