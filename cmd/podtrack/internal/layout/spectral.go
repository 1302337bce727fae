package layout

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Parameters of subspace iteration: vectors, rounds, and steps of conjugate gradients.
const (
	vectors     = 6
	rounds      = 40
	settled     = 1e-6 // relative change of the eigenvalues below which they count as found
	solved      = 1e-5 // part of the right-hand side below which a residual counts as 0
	seedOfStart = 1
)

// placeComponent returns the places of a component's nodes, from −1 to 1.
func (g graph) placeComponent(ctx context.Context, members []int) ([][2]float64, error) {
	places := make([][2]float64, len(members))
	if len(members) < 2 {
		return places, nil
	}
	x, err := g.within(members).smoothest(ctx)
	if err != nil {
		return nil, err
	}
	for axis := range min(2, len(x)) {
		for i, v := range stretch(x[axis]) {
			places[i][axis] = v
		}
	}
	return places, nil
}

// stretch returns x stretched to −1…1, with the sign that makes the entry of largest magnitude positive.
func stretch(x []float64) []float64 {
	low, high := slices.Min(x), slices.Max(x)
	if high == low {
		return make([]float64, len(x))
	}
	sign := 1.0
	if -low > high {
		sign = -1
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = sign * (float64(2*(v-low))/(high-low) - 1)
	}
	return out
}

// smoothest returns the generalised eigenvectors of the Laplacian of a connected graph for the smallest eigenvalues
// above 0, at most [vectors] of them: those after the first two are less exact. It iterates a subspace with the inverse
// of the normalised Laplacian N = I − D^(−1/2) A D^(−1/2), whose eigenvectors are D^(1/2) u (Golub & Van Loan, Matrix
// Computations, 4th ed., §8.2.4 and §8.3.7).
func (g graph) smoothest(ctx context.Context) ([][]float64, error) {
	n := newNormalised(g)
	random := rand.New(rand.NewPCG(seedOfStart, seedOfStart))
	y := make([][]float64, min(vectors, len(g.near)-1))
	for i := range y {
		y[i] = make([]float64, len(g.near))
		for j := range y[i] {
			y[i][j] = random.Float64() - 0.5
		}
	}
	n.orthonormalise(y)
	before := make([]float64, len(y)) // eigenvalues, 0 where they are not known
	for range rounds {
		for i := range y {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			y[i] = n.solve(y[i], before[i])
		}
		n.orthonormalise(y)
		values := n.rotate(y)
		if hasSettled(before, values) {
			break
		}
		before = values
	}
	for _, v := range y {
		for i := range v {
			v[i] /= n.root[i]
		}
	}
	return y, nil
}

// hasSettled reports whether the two smallest eigenvalues stay as they were.
func hasSettled(before, values []float64) bool {
	for i := range min(2, len(values)) {
		if before[i] == 0 || math.Abs(values[i]-before[i]) > float64(settled*values[i]) {
			return false
		}
	}
	return true
}

// normalised is the normalised Laplacian of a connected graph.
type normalised struct {
	graph
	root    []float64 // √degree, the eigenvector of eigenvalue 0
	inverse []float64 // 1/√degree
}

func newNormalised(g graph) normalised {
	n := normalised{g, make([]float64, len(g.near)), make([]float64, len(g.near))}
	for i, near := range g.near {
		n.root[i] = math.Sqrt(float64(len(near)))
		n.inverse[i] = 1 / n.root[i]
	}
	return n
}

// multiply sets out to Nx.
func (n normalised) multiply(x, out []float64) {
	for i, near := range n.near {
		sum := 0.0
		for _, j := range near {
			sum += float64(x[j] * n.inverse[j])
		}
		out[i] = x[i] - float64(sum*n.inverse[i])
	}
}

// solve returns the solution of Nx = b that is orthogonal to the root, by conjugate gradients. It starts from b divided
// by the eigenvalue of which b is nearly an eigenvector, 0 if none is known.
func (n normalised) solve(b []float64, eigenvalue float64) []float64 {
	x, r, p, q := make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b))
	copy(r, b)
	limit := float64(float64(solved*solved) * dot(r, r))
	if eigenvalue > 0 {
		addMultiple(x, b, 1/eigenvalue)
		n.multiply(x, q)
		addMultiple(r, q, -1)
	}
	n.project(r)
	copy(p, r)
	left := dot(r, r)
	for step := 0; step < 4*len(b) && left > limit; step++ {
		n.multiply(p, q)
		alpha := left / dot(p, q)
		addMultiple(x, p, alpha)
		addMultiple(r, q, -alpha)
		now := dot(r, r)
		beta := now / left
		for i := range p {
			p[i] = r[i] + float64(beta*p[i])
		}
		left = now
	}
	return x
}

// project makes x orthogonal to the root.
func (n normalised) project(x []float64) {
	addMultiple(x, n.root, -dot(x, n.root)/dot(n.root, n.root))
}

// orthonormalise makes vectors orthogonal to the root and to each other, twice for the sake of rounding.
func (n normalised) orthonormalise(y [][]float64) {
	for range 2 {
		for i, v := range y {
			n.project(v)
			for _, u := range y[:i] {
				addMultiple(v, u, -dot(u, v))
			}
			length := math.Sqrt(dot(v, v))
			for j := range v {
				v[j] /= length
			}
		}
	}
}

// rotate replaces the vectors by the best eigenvectors in their span, the smallest eigenvalue first, and returns the
// eigenvalues: the Rayleigh-Ritz step, by cyclic Jacobi rotations.
func (n normalised) rotate(y [][]float64) (values []float64) {
	a := make([][]float64, len(y))
	out := make([]float64, len(n.near))
	for i, v := range y {
		n.multiply(v, out)
		for _, u := range y {
			a[i] = append(a[i], dot(u, out))
		}
	}
	for range rounds {
		for i := range a {
			for j := range i {
				rotatePair(a, y, j, i)
			}
		}
	}
	for i := range y { // insertion sort, which keeps the order of equal ones
		for j := i; j > 0 && a[j][j] < a[j-1][j-1]; j-- {
			y[j], y[j-1] = y[j-1], y[j]
			a[j][j], a[j-1][j-1] = a[j-1][j-1], a[j][j]
		}
	}
	for i := range a {
		values = append(values, a[i][i])
	}
	return values
}

// rotatePair rotates vectors i and j so that a has 0 at (i, j).
func rotatePair(a, y [][]float64, i, j int) {
	if a[i][j] == 0 {
		return
	}
	theta := (a[j][j] - a[i][i]) / float64(2*a[i][j])
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := float64(t * c)
	for k := range a {
		a[k][i], a[k][j] = turn(a[k][i], a[k][j], c, s)
	}
	for k := range a {
		a[i][k], a[j][k] = turn(a[i][k], a[j][k], c, s)
	}
	for k := range y[i] {
		y[i][k], y[j][k] = turn(y[i][k], y[j][k], c, s)
	}
}

func turn(x, y, c, s float64) (u, v float64) {
	return float64(c*x) - float64(s*y), float64(s*x) + float64(c*y)
}

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// addMultiple adds a·y to x.
func addMultiple(x, y []float64, a float64) {
	for i, v := range y {
		x[i] += float64(a * v)
	}
}
