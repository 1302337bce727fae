package layout

import "math"

// box is a component with its place.
type box struct {
	members []int
	places  [][2]float64 // from −1 to 1
	side    float64
}

// newBox returns a component whose box has the area of its nodes.
func newBox(members []int, places [][2]float64) box {
	return box{members, places, spread * math.Sqrt(float64(len(members)))}
}

const (
	spread = 2.5 // the side of a box, in roots of its nodes: places crowd at the ends of eigenvectors
	flat   = 0.7 // the height of a box, of its width
	margin = 1.0 // around each box
)

// pack puts the boxes, the largest first, into rows that are about twice as wide as all together are high, sets the
// places of their members, and returns the size of all.
func pack(boxes []box, places [][2]float64) (width, height float64) {
	area, left, top, row := 0.0, 0.0, 0.0, 0.0
	for _, b := range boxes {
		area += float64((b.side + 2*margin) * (float64(flat*b.side) + 2*margin))
	}
	room := math.Sqrt(2 * area)
	for _, b := range boxes {
		w, h := b.side+2*margin, float64(flat*b.side)+2*margin
		if left > 0 && left+w > room {
			left, top, row = 0, top+row, 0
		}
		for i, m := range b.members {
			places[m][0] = left + margin + float64(b.side*(b.places[i][0]+1)/2)
			places[m][1] = top + margin + float64(float64(flat*b.side)*(b.places[i][1]+1)/2)
		}
		left += w
		width, height, row = max(width, left), max(height, top+h), max(row, h)
	}
	return width, height
}
