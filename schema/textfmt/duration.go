package textfmt

import (
	"fmt"
	"math"
)

// Roughly formats a time in seconds with the precision of an estimate.
func Roughly(seconds float64) string {
	const minute, hour, day = 60, 3600, 24 * 3600
	for _, unit := range []struct {
		below, size float64
		name        string
	}{{100, 1, "s"}, {100 * minute, minute, "min"}, {72 * hour, hour, "h"}} {
		if seconds < unit.below {
			return fmt.Sprintf("%.0f %s", max(1, math.Round(seconds/unit.size)), unit.name)
		}
	}
	return fmt.Sprintf("%.0f days", math.Round(seconds/day))
}
