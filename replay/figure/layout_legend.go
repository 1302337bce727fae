package figure

// placeKeys fills the lines of the legend from the left.
func (l *layout) placeKeys(inner float64) (lines [][]placedKey) {
	var line []placedKey
	x := 0.0
	for _, k := range l.keys {
		k.text = shorten(printable(k.text), tickSize, inner-keyWidth)
		w := keyWidth + widthOf(k.text, tickSize)
		if len(line) > 0 && x+w > inner {
			lines, line, x = append(lines, line), nil, 0
		}
		line = append(line, placedKey{key: k, left: margin + x})
		x += w + 3*gap
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// keyWidth is the width of the sample before a key's text.
const keyWidth = 18

// headHeight returns the height of title, legend and scale.
func (l *layout) headHeight() float64 {
	h := float64(len(l.head))*lineHeight(titleSize) + float64(len(l.legend))*lineHeight(tickSize)
	if l.scale != nil {
		h += lineHeight(tickSize)
	}
	if h > 0 {
		h += 1.5 * gap
	}
	return h
}

func (l *layout) footHeight() float64 {
	if len(l.foot) == 0 {
		return 0
	}
	return gap/2 + float64(len(l.foot))*lineHeight(noteSize)
}
