package figure

// placePanels places the panels.
func (l *layout) placePanels() {
	l.sizePanels(l.inner())
	l.stackRows()
}

// sizePanels divides the width among the columns. The space beside a data area depends on its
// ticks, and these on its height, so this is repeated.
func (l *layout) sizePanels(inner float64) {
	beside := make([]float64, l.columns)
	for i := range beside {
		beside[i] = 36
	}
	for range 3 {
		total := inner
		for _, b := range beside {
			total -= b + rightOf
		}
		l.room = total / float64(l.columns)
		width := max(l.room, leastColumn)
		l.places = nil
		for i, p := range l.panels {
			l.places = append(l.places, l.size(i, p, width))
		}
		x := margin
		for column := range beside {
			beside[column] = 0
			for i := column; i < len(l.places); i += l.columns {
				beside[column] = max(beside[column], l.places[i].beside())
			}
			for i := column; i < len(l.places); i += l.columns {
				l.places[i].left = x + beside[column]
			}
			x += beside[column] + width + rightOf
		}
	}
}

// stackRows places the rows of panels below title and legend, from the top.
func (l *layout) stackRows() {
	down := l.headHeight() + margin
	for first := 0; first < len(l.places); first += l.columns {
		row := l.places[first:min(first+l.columns, len(l.places))]
		var title, height, under float64
		for _, p := range row {
			if p.title != "" {
				title = lineHeight(labelSize)
			}
			height, under = max(height, p.height), max(under, p.under)
		}
		for i := range row {
			row[i].bottom = -(down + title + row[i].height)
		}
		down += title + height + under + 2*gap
	}
	l.height = down - 2*gap + l.footHeight() + margin
	for i := range l.places {
		l.places[i].bottom += l.height
	}
}
