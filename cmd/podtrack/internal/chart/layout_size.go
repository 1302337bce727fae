package chart

import (
	"math"
	"slices"
	"strings"
)

// leastHeight is the height of a data area unless it is fixed.
const leastHeight = 62

// size divides a panel's axes for its size.
func (l *Layout) size(i int, p Panel, width float64) place {
	height := max(p.Height, p.Aspect*width)
	if !p.Fixed {
		height = max(height, leastHeight)
	}
	made := place{Panel: p, Width: width, Height: height}
	made.Y = p.Y.divide(int(min(max(height/20, min(height/12, 5)), mostTicks)))
	made.X = p.X.fit(width)
	made.bareX = l.Shared && i+l.Columns < len(l.Panels)
	made.turned = p.X.Ticks != nil && isCrowded(made.X, width, 2)
	made.X.Ticks = thinTicks(made.X, width, 1.1*tickSize)
	made.Y.Ticks = thinTicks(made.Y, height, 1.1*tickSize)
	if l.SharedY && i%l.Columns > 0 {
		made.Y.Label = ""
	}
	if p.Y.Names {
		made.foldNames(maxNames * l.inner() / float64(l.Columns))
	}
	if l.SharedRows && i%l.Columns > 0 {
		made.Y.Ticks = slices.Clone(made.Y.Ticks)
		for i := range made.Y.Ticks {
			made.Y.Ticks[i].Text = ""
		}
	}
	made.yLines = wrap(made.Y.Label, labelSize, max(height, leastRow))
	if !made.bareX && made.X.isDrawn() {
		made.xLines = wrap(made.X.Label, labelSize, width+rightOf)
		made.Under = tickLength + gap/2 + made.tickHeight() + float64(len(made.xLines))*lineHeight(labelSize)
	}
	return made
}

// maxNames is the part of a panel's width that names of rows take at most.
const maxNames = 0.42

// foldNames folds the names of rows to the given width, in two lines if they are longer, for which rows become higher.
func (p *place) foldNames(width float64) {
	isFolded := false
	p.Y.Ticks = slices.Clone(p.Y.Ticks)
	for i, t := range p.Y.Ticks {
		lines := wrap(t.Text, tickSize, width)
		if len(lines) > 1 {
			isFolded = true
			lines = []string{lines[0], shorten(strings.Join(lines[1:], " "), tickSize, width)}
		}
		p.Y.Ticks[i].Text = strings.Join(lines, "\n")
	}
	if row := 2.2 * lineHeight(tickSize); isFolded {
		p.Height = max(p.Height, row*float64(len(p.Y.Ticks)))
	}
}

// mostTicks is how many ticks an axis has at most unless they are given: more lines would hide what is drawn.
const mostTicks = 12

// fit divides a horizontal axis as finely as its texts fit beside each other.
func (a Axis) fit(width float64) Axis {
	const room = 8 // between the texts of ticks
	for most := min(int(width/(tickSize/2+room)), mostTicks); most > 1 && a.Ticks == nil; most-- {
		if divided := a.divide(most); !isCrowded(divided, width, room) {
			return divided
		}
	}
	return a.divide(1)
}

// isCrowded reports whether the texts of ticks are closer to each other than room.
func isCrowded(a Axis, width, room float64) bool {
	return len(a.Ticks) > 1 && widest(a.Ticks)+room > width*(a.at(a.Ticks[1].At)-a.at(a.Ticks[0].At))
}

// thinTicks returns every n-th tick if there is no room for all of their texts.
func thinTicks(a Axis, length, room float64) []Tick {
	if len(a.Ticks) < 2 {
		return a.Ticks
	}
	nearest := math.Inf(1)
	for i, t := range a.Ticks[1:] {
		nearest = min(nearest, length*math.Abs(a.at(t.At)-a.at(a.Ticks[i].At)))
	}
	every := max(int(math.Ceil(min(room/nearest, float64(len(a.Ticks))))), 1)
	var kept []Tick
	for i := 0; i < len(a.Ticks); i += every {
		kept = append(kept, a.Ticks[i])
	}
	return kept
}

// tickHeight returns the height of the x axis' tick texts.
func (p place) tickHeight() float64 {
	if !p.turned {
		return lineHeight(tickSize)
	}
	return widest(p.X.Ticks) + gap
}

// beside returns the width of the y axis' ticks and label.
func (p place) beside() float64 {
	return widest(p.Y.Ticks) + tickLength + gap + float64(len(p.yLines))*lineHeight(labelSize)
}

// widest returns the width of the widest line of the ticks' texts.
func widest(ticks []Tick) (most float64) {
	for _, t := range ticks {
		for line := range strings.SplitSeq(t.Text, "\n") {
			most = max(most, widthOf(line, tickSize))
		}
	}
	return most
}
