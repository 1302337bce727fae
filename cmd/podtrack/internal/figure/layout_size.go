package figure

import "math"

// leastHeight is the height of a data area if no height is requested.
const leastHeight = 62

// size divides a panel's axes for its size.
func (l *layout) size(i int, p panel, width float64) place {
	height := max(p.height, p.aspect*width)
	if !p.fixed {
		height = max(height, leastHeight) * l.stretch
	}
	made := place{panel: p, width: width, height: height}
	made.y = p.y.divide(int(max(height/20, min(height/12, 5))))
	made.x = p.x.fit(width)
	made.bareX = l.shared && i+l.columns < len(l.panels)
	made.turned = p.x.ticks != nil && isCrowded(made.x, width, 2)
	made.x.ticks = thinTicks(made.x, width, 1.1*tickSize)
	made.y.ticks = thinTicks(made.y, height, 1.1*tickSize)
	if l.sharedY && i%l.columns > 0 {
		made.y.label = ""
	}
	made.yLines = wrap(made.y.label, labelSize, max(height, leastRow))
	if !made.bareX && made.x.isDrawn() {
		made.xLines = wrap(made.x.label, labelSize, width+rightOf)
		made.under = tickLength + gap/2 + made.tickHeight() + float64(len(made.xLines))*lineHeight(labelSize)
	}
	return made
}

// fit divides a horizontal axis as finely as its texts fit beside each other.
func (a axis) fit(width float64) axis {
	const room = 8 // between the texts of ticks
	for most := int(width / (tickSize/2 + room)); most > 1 && a.ticks == nil; most-- {
		if divided := a.divide(most); !isCrowded(divided, width, room) {
			return divided
		}
	}
	return a.divide(1)
}

// isCrowded reports whether the texts of ticks are closer to each other than room.
func isCrowded(a axis, width, room float64) bool {
	widest := 0.0
	for _, t := range a.ticks {
		widest = max(widest, widthOf(t.text, tickSize)+room)
	}
	return len(a.ticks) > 1 && widest > width*(a.at(a.ticks[1].at)-a.at(a.ticks[0].at))
}

// thinTicks returns every n-th tick if there is no room for all of their texts.
func thinTicks(a axis, length, room float64) []tick {
	if len(a.ticks) < 2 {
		return a.ticks
	}
	nearest := math.Inf(1)
	for i, t := range a.ticks[1:] {
		nearest = min(nearest, length*math.Abs(a.at(t.at)-a.at(a.ticks[i].at)))
	}
	every := max(int(math.Ceil(min(room/nearest, float64(len(a.ticks))))), 1)
	var kept []tick
	for i := 0; i < len(a.ticks); i += every {
		kept = append(kept, a.ticks[i])
	}
	return kept
}

// tickHeight returns the height of the x axis' tick texts.
func (p place) tickHeight() float64 {
	if !p.turned {
		return lineHeight(tickSize)
	}
	most := 0.0
	for _, t := range p.x.ticks {
		most = max(most, widthOf(t.text, tickSize))
	}
	return most + gap
}

// beside returns the width of the y axis' ticks and label.
func (p place) beside() float64 {
	return p.tickWidth() + tickLength + gap + float64(len(p.yLines))*lineHeight(labelSize)
}

func (p place) tickWidth() float64 {
	most := 0.0
	for _, t := range p.y.ticks {
		most = max(most, widthOf(t.text, tickSize))
	}
	return most
}
