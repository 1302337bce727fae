package textfmt

import (
	"fmt"
	"math"
)

// Roughly formats a time in seconds with the precision of an estimate.
func Roughly(seconds float64) string {
	return inUnits(seconds, func(n float64) float64 { return max(1, math.Round(n)) })
}

// AtLeast formats a lower bound of a time in seconds: it is rounded down, below ten seconds to a tenth.
func AtLeast(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1f s", math.Floor(seconds*10)/10)
	}
	return inUnits(seconds, math.Floor)
}

// Briefly formats a time in seconds with about two digits, in milliseconds if it is short.
func Briefly(seconds float64) string {
	switch {
	case seconds < 0.95:
		return fmt.Sprintf("%.0f ms", max(1, math.Round(1000*seconds)))
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return Roughly(seconds)
}

func inUnits(seconds float64, round func(float64) float64) string {
	const minute, hour, day = 60, 3600, 24 * 3600
	for _, unit := range []struct {
		below, size float64
		name        string
	}{{100, 1, "s"}, {100 * minute, minute, "min"}, {72 * hour, hour, "h"}} {
		if seconds < unit.below {
			return fmt.Sprintf("%.0f %s", round(seconds/unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%.0f days", round(seconds/day))
}
