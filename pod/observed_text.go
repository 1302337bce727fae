package pod

import (
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// StateText returns the observation that state s stands for as text: a number, bits, or numbers with slashes
// between them.
func (o *ObservedStates) StateText(s int) string {
	if o.kind == schema.Discrete {
		return strconv.FormatUint(uint64(o.discreteNumber(s)), 10)
	}
	row := make([]float64, o.dims)
	o.Observe(s, row)
	parts, between := make([]string, len(row)), ""
	for i, x := range row {
		parts[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	if o.kind == schema.Real {
		between = "/"
	}
	return strings.Join(parts, between)
}

// Width returns the number of features of an observation, 1 if it is a number.
func (o *ObservedStates) Width() int {
	if o.kind == schema.Discrete {
		return 1
	}
	return o.dims
}
