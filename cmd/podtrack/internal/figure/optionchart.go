package figure

import "fmt"

func (f Option) caption() string {
	return f.Title + ": its values v, and below its policy, by " + f.Axis + "."
}

func (f Option) chart() chart {
	x := axis{
		label: f.Axis, low: float64(f.Bins[0].From) - 0.5, high: float64(f.Bins[len(f.Bins)-1].To) + 0.5, whole: true,
		plain: true,
	}
	value := panel{x: x, y: axis{label: "value v", margin: true}, aspect: 0.35}
	low, high, mean := []Point{}, []Point{}, []Point{}
	for _, b := range f.Bins {
		value.y.include(b.Low, b.High)
		at := float64(b.From+b.To) / 2
		low, high, mean = append(low, Point{at, b.Low}), append(high, Point{at, b.High}),
			append(mean, Point{at, b.Mean})
	}
	value.marks = []mark{line{points: mean, ink: foreground, width: 0.8}}
	if f.isBinned() {
		value.marks = []mark{
			area{low: low, high: high, ink: withOpacity(neutral, 0.4)},
			line{points: mean, ink: foreground, width: 0.6},
		}
	}
	policy := panel{x: x, y: axis{label: "policy", high: 1, ticks: []tick{}, plain: true}, height: 26, fixed: true}
	c := chart{title: f.Title, columns: 1, shared: true}
	for a, name := range f.Actions {
		policy.marks = append(policy.marks, f.share(a))
		c.keys = append(c.keys, key{text: name, ink: f.ink(a), box: true})
	}
	if f.part != "" {
		c.notes = append(c.notes, f.part)
	}
	if f.isBinned() {
		c.notes = append(c.notes,
			fmt.Sprintf("A column holds %d states: the mean of v and its range, and the shares of the policy.",
				f.Bins[0].To-f.Bins[0].From+1))
	}
	c.panels = []panel{value, policy}
	return c
}

// isBinned reports whether a bin has more than one state.
func (f Option) isBinned() bool { return f.Bins[0].From != f.Bins[0].To }

func (f Option) ink(action int) ink {
	if action == len(f.Actions)-1 {
		return withOpacity(neutral, 0.35)
	}
	return series(action)
}

// share returns the area of an action in the strip of the policy.
func (f Option) share(action int) area {
	m := area{ink: f.ink(action)}
	for _, b := range f.Bins {
		low := 0.0
		for _, share := range b.Shares[:action] {
			low += share
		}
		from, to := float64(b.From)-0.5, float64(b.To)+0.5
		m.low = step(m.low, from, to, low)
		m.high = step(m.high, from, to, low+b.Shares[action])
	}
	return m
}

// step extends a step line at a height; it adds no points if the height stays the same.
func step(points []Point, from, to, y float64) []Point {
	if n := len(points); n > 1 && points[n-1].Y == y {
		points[n-1].X = to
		return points
	}
	return append(points, Point{from, y}, Point{to, y})
}
