package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the coverage of every interval in this package.
const Level = 0.95

// Wilson returns the 95 % score interval of a proportion with the given successes, 0 to n, in n
// trials. Without trials it is 0 to 1.
func Wilson(successes, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	z := distuv.UnitNormal.Quantile((1 + Level) / 2)
	p, trials := float64(successes)/float64(n), float64(n)
	scale := 1 + z*z/trials
	centre := (p + z*z/(2*trials)) / scale
	half := z * math.Sqrt(p*(1-p)/trials+z*z/(4*trials*trials)) / scale
	low, high = centre-half, centre+half
	if successes == 0 {
		low = 0 // what rounding leaves of it
	}
	if successes == n {
		high = 1
	}
	return low, high
}
