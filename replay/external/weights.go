package external

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

const (
	// maxWeights bounds the weights of all options of a program that acts by them. With as many, Python takes about
	// half the time for a step that an exchange takes.
	maxWeights = 1 << 12
	// maxWeightedFeatures bounds the terms of a sum.
	maxWeightedFeatures = 64
)

// canActByWeights reports whether the actions of all options follow from their weights in every real observation, and
// the program is best told these.
func (w *runningEnv) canActByWeights(options pod.OptionSet) bool {
	x := w.observer.declared
	if x.Observes != schema.Real || x.Size > maxWeightedFeatures ||
		len(options.Options)*len(x.Actions)*(int(x.Size)+1) > maxWeights {
		return false
	}
	return !slices.ContainsFunc(options.Options, func(o *schema.Option) bool {
		return o.Theta == nil || o.Certificate.Closed || o.Theta.Actions != len(x.Actions) ||
			o.Theta.Width != int(x.Size)+1 || slices.ContainsFunc(o.Theta.Weights, isNotFinite)
	})
}

func isNotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// appendWeights appends the tolerance and the weights of each option. No q is above the tolerance of one that is left
// out.
func appendWeights(b []byte, options pod.OptionSet) []byte {
	for i, o := range options.Options {
		tolerance := o.Certificate.Tolerance
		if slices.Contains(options.LeaveOut, uint64(options.First+i)) {
			tolerance = math.MaxFloat64
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(tolerance))
		for _, x := range o.Theta.Weights {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}
