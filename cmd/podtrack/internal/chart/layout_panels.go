package chart

// sizePanels divides the width among the columns. The space beside a data area depends on its
// ticks, and these on its height, so this is repeated.
func (l *Layout) sizePanels() {
	beside, right := make([]float64, l.Columns), make([]float64, l.Columns)
	for i := range beside {
		beside[i] = 36
	}
	for i, p := range l.Panels {
		right[i%l.Columns] = max(right[i%l.Columns], rightOf+p.wordsWidth())
	}
	for range 3 {
		total := l.inner()
		for i := range beside {
			total -= beside[i] + right[i]
		}
		l.room = total / float64(l.Columns)
		width := max(l.room, leastColumn)
		l.Places = nil
		for i, p := range l.Panels {
			l.Places = append(l.Places, l.size(i, p, width))
		}
		x := margin
		for column := range beside {
			beside[column] = 0
			for i := column; i < len(l.Places); i += l.Columns {
				beside[column] = max(beside[column], l.Places[i].beside())
			}
			for i := column; i < len(l.Places); i += l.Columns {
				l.Places[i].Left = x + beside[column]
			}
			x += beside[column] + width + right[column]
		}
	}
}

// stackRows places the rows of panels below title and legend, from the top.
func (l *Layout) stackRows() {
	down := l.headHeight() + margin
	for first := 0; first < len(l.Places); first += l.Columns {
		row := l.Places[first:min(first+l.Columns, len(l.Places))]
		var title, height, under float64
		for _, p := range row {
			if p.Title != "" {
				title = lineHeight(labelSize)
			}
			height, under = max(height, p.Height), max(under, p.Under)
		}
		for i := range row {
			row[i].Bottom = -(down + title + row[i].Height)
		}
		down += title + height + under + 2*gap
	}
	l.Height = down - 2*gap + l.footHeight() + margin
	for i := range l.Places {
		l.Places[i].Bottom += l.Height
	}
}
