package envserver

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
)

// UnpackReals decodes packed numbers.
func UnpackReals(b []byte) (numbers []float64) {
	for ; len(b) >= 8; b = b[8:] {
		numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return numbers
}

// ActByWeights returns the action of each option in an observation, by its tolerance and the weights of each action.
func ActByWeights(weights [][]float64, observation []byte) (row []byte) {
	x := UnpackReals(observation)
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
