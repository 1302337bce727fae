package envserver

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/wire"
)

// ActByWeights returns the action of each option in an observation, by its tolerance and the weights of each action.
func ActByWeights(weights [][]float64, observation []byte) (row []byte) {
	x := wire.DecodeFloats(observation)
	for _, o := range weights {
		var q []float64
		for theta := range slices.Chunk(o[1:], len(x)+1) {
			sum := 0.0
			for i := range x {
				sum += float64(theta[1+i] * x[i])
			}
			q = append(q, sum+theta[0])
		}
		row = append(row, byte(envs.GreedyAction(q, o[0])))
	}
	return row
}
