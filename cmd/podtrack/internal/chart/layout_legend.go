package chart

// placeKeys fills the lines of the legend from the left. A text that is longer than a line goes on below.
func (l *Layout) placeKeys() (lines [][]placedKey) {
	var line []placedKey
	x, inner := 0.0, l.inner()
	for _, k := range l.Keys {
		texts := wrap(Printable(k.Text), tickSize, inner-keyWidth)
		if len(texts) == 0 {
			texts = []string{""}
		}
		k.Text = texts[0]
		w := keyWidth + widthOf(k.Text, tickSize)
		if len(line) > 0 && (x+w > inner || len(texts) > 1) {
			lines, line, x = append(lines, line), nil, 0
		}
		line = append(line, placedKey{Key: k, left: margin + x})
		x += w + 3*gap
		for _, text := range texts[1:] {
			lines, line, x = append(lines, line), []placedKey{{Key: Key{Text: text, Bare: true}, left: margin}}, inner
		}
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// keyWidth is the width of the sample before a key's text.
const keyWidth = 18

// headHeight returns the height of title, legend and scale.
func (l *Layout) headHeight() float64 {
	h := float64(len(l.head))*lineHeight(titleSize) + float64(len(l.legend))*lineHeight(tickSize)
	if l.Scale != nil {
		h += lineHeight(tickSize)
	}
	if h > 0 {
		h += 1.5 * gap
	}
	return h
}

func (l *Layout) footHeight() float64 {
	if len(l.foot) == 0 {
		return 0
	}
	return gap/2 + float64(len(l.foot))*lineHeight(noteSize)
}
