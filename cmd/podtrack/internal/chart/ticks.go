package chart

import (
	"math"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// divide divides the axis by at most so many ticks at round numbers. An empty range is widened.
func (a Axis) divide(most int) Axis {
	a = a.withRange()
	switch {
	case a.Ticks != nil:
	case a.Log:
		if a.Ticks = decades(a.Low, a.High, most); len(a.Ticks) < min(2, most) {
			a.linear(most)
		}
	default:
		a.linear(most)
	}
	return a
}

// withRange returns the axis with a range of positive width.
func (a Axis) withRange() Axis {
	if a.Low > a.High {
		a.Low, a.High = 0, 1
	}
	if a.Log {
		if a.Low <= 0 {
			a.Low, a.High = 1, 10
		}
		if a.Low == a.High {
			a.Low, a.High = a.Low/2, a.High*2
		}
		return a
	}
	if a.Low == a.High {
		half := max(math.Abs(a.Low)/10, 1)
		if a.Whole {
			half = halfWhole
		}
		a.Low, a.High = a.Low-half, a.High+half
	}
	if a.Margin {
		room := (a.High - a.Low) * 0.06
		if a.Whole {
			room = min(room, halfWhole)
		}
		a.Low, a.High = a.Low-room, a.High+room
	}
	return a
}

// halfWhole is how far an axis of whole numbers extends beyond them, so that it shows no other
// number.
const halfWhole = 0.6

// linear sets ticks at multiples of 1, 2 or 5 times a power of ten. Large numbers are shown in
// thousands or millions, as the label says.
func (a *Axis) linear(most int) {
	step := roundStep((a.High-a.Low)/float64(max(most, 1)), a.Whole)
	unit := 1.0
	switch size := max(math.Abs(a.Low), math.Abs(a.High)); {
	case size >= 2e7:
		unit, a.Label = 1e6, a.Label+" (millions)"
	case size >= 2e4:
		unit, a.Label = 1e3, a.Label+" (thousands)"
	}
	a.Ticks = []Tick{}
	for i := math.Ceil(a.Low/step - 1e-9); i*step <= a.High+step*1e-9; i++ {
		a.Ticks = append(a.Ticks, Tick{At: i * step, Text: tickText(i*step/unit, step/unit)})
	}
}

// roundStep returns the smallest round number that is at least x.
func roundStep(x float64, whole bool) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5, 10} {
		if step := m * power; step >= x*(1-1e-9) {
			if whole {
				return max(step, 1)
			}
			return step
		}
	}
	return 10 * power
}

// tickText returns a number with as many digits as the step has, and a minus sign.
func tickText(x, step float64) string {
	digits := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	if math.Abs(x) < step/2 {
		return "0"
	}
	if digits > 6 || math.Abs(x) >= 1e7 {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
		return palette.Exponent(rounded, -1)
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

// decades returns ticks at powers of ten, and at 2 and 5 times them if there is room.
func decades(low, high float64, most int) []Tick {
	for _, ms := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if ts := multiples(low, high, ms, 1); len(ts) <= most {
			return ts
		}
	}
	for every := 2; ; every++ {
		if ts := multiples(low, high, []float64{1}, every); len(ts) <= max(most, 1) {
			return ts
		}
	}
}

func multiples(low, high float64, ms []float64, every int) []Tick {
	ts := []Tick{}
	for e := int(math.Floor(math.Log10(low))); math.Pow(10, float64(e)) <= high; e++ {
		for _, m := range ms {
			at := m * math.Pow(10, float64(e))
			if at >= low*(1-1e-9) && at <= high*(1+1e-9) && e%every == 0 {
				ts = append(ts, Tick{At: at, Text: logText(at)})
			}
		}
	}
	return ts
}

// logText returns the text of a power of ten or a multiple of one.
func logText(x float64) string {
	if x >= 1e-3 && x < 1e5 {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return palette.Exponent(x, 0)
}

// at returns the position of a value between the axis' ends, from 0 to 1. Absurd values stay near
// the picture.
func (a Axis) at(v float64) float64 {
	share := (v - a.Low) / (a.High - a.Low)
	if a.Log {
		share = (math.Log(v) - math.Log(a.Low)) / (math.Log(a.High) - math.Log(a.Low))
	}
	if math.IsNaN(share) {
		return 0
	}
	return min(max(share, -1), 2)
}
