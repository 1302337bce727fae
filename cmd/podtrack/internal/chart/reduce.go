package chart

// Point is a point of a series.
type Point struct {
	X float64
	Y float64
}

// Reducer reduces a series to the points that a picture shows: the lowest and the highest of each pixel column, in
// their order, and the last point of the series. Of equal values it keeps the first.
type Reducer struct {
	from, to float64 // the series' range of x
	columns  int
	points   []Point

	any       bool
	column    int
	low, high Point // of the column
	last      Point
}

// NewReducer returns a reducer of a series whose x lies between from and to.
func NewReducer(from, to float64, columns int) *Reducer {
	return &Reducer{from: from, to: to, columns: columns}
}

// Add adds the next point; x must not decrease.
func (r *Reducer) Add(x, y float64) {
	column := r.columnOf(x)
	if r.any && column != r.column {
		r.flush()
		r.any = false
	}
	p := Point{x, y}
	if !r.any || y < r.low.Y {
		r.low = p
	}
	if !r.any || y > r.high.Y {
		r.high = p
	}
	r.any, r.column, r.last = true, column, p
}

func (r *Reducer) columnOf(x float64) int {
	if r.to <= r.from {
		return 0
	}
	return int((x - r.from) * float64(r.columns) / (r.to - r.from)) // exact for whole numbers, in this order
}

// flush appends the column's extremes.
func (r *Reducer) flush() {
	first, second := r.low, r.high
	if second.X < first.X {
		first, second = second, first
	}
	r.points = append(r.points, first)
	if second != first {
		r.points = append(r.points, second)
	}
}

// Finish returns the reduced series.
func (r *Reducer) Finish() []Point {
	if !r.any {
		return r.points
	}
	r.flush()
	if r.points[len(r.points)-1] != r.last {
		r.points = append(r.points, r.last)
	}
	r.any = false
	return r.points
}

// AppendStep extends a step line at a height; it adds no points if the height stays the same.
func AppendStep(points []Point, from, to, y float64) []Point {
	if n := len(points); n > 1 && points[n-1].Y == y {
		points[n-1].X = to
		return points
	}
	return append(points, Point{X: from, Y: y}, Point{X: to, Y: y})
}
