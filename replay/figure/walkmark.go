package figure

import "sort"

// boundaries are dashed lines where iterations begin; where they are many, they
// step back behind the walk.
type boundaries []int64

// apart is how far from each other, in points, lines do not hide what is between.
const apart = 9.0

func (m boundaries) draw(p pen) {
	of, width := ink(faint), 0.6
	if len(m) > 0 && p.place.width/float64(len(m)+1) < apart {
		of, width = withOpacity(faint, 0.45), 0.35
	}
	for _, at := range m {
		rule{at: float64(at), ink: of, dash: dashed, width: width}.draw(p)
	}
}

// waymarks is how many marks tell a track from others.
const waymarks = 5

// marked are the places along the i-th of n tracks at which its mark stands, none
// where another's does.
func (t Trace) marked(i, n int) (at []Point) {
	if len(t.Points) == 0 {
		return nil
	}
	end := t.Points[len(t.Points)-1].X
	for j := range waymarks {
		x := end * (float64(j) + (float64(i)+0.5)/float64(n)) / waymarks
		next := sort.Search(len(t.Points), func(k int) bool { return t.Points[k].X >= x })
		at = append(at, t.Points[min(next, len(t.Points)-1)])
	}
	return at
}

// trackMarks draws tracks as lines, the first over the others. Several runs have
// marks, so that colours alone need not tell them apart.
func trackMarks(tracks []Trace, width float64) (marks []mark) {
	for i := len(tracks) - 1; i >= 0; i-- {
		marks = append(marks, line{points: tracks[i].Points, ink: tracks[i].ink(i), width: width})
		if several(tracks) && !tracks[i].Primitive {
			marks = append(marks, dots{points: tracks[i].marked(i, len(tracks)), ink: tracks[i].ink(i), glyph: glyphs[i%len(glyphs)]})
		}
	}
	return marks
}

// several says whether there is more than one run; primitive actions come last.
func several(tracks []Trace) bool { return len(tracks) > 1 && !tracks[1].Primitive }

// trackKeys are the legend of [trackMarks].
func trackKeys(tracks []Trace) (keys []key) {
	for i, t := range tracks {
		k := key{text: t.Name, ink: t.ink(i)}
		if several(tracks) && !t.Primitive {
			k.glyph = glyphs[i%len(glyphs)]
		}
		keys = append(keys, k)
	}
	return keys
}

func (t Trace) ink(i int) ink {
	if t.Primitive {
		return neutral
	}
	return series(i)
}
