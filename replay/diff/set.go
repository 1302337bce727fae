package diff

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
)

// optionSet holds the purposes that an iteration selected.
type optionSet struct {
	Ref      string // RUN:K
	K        int
	Basis    schema.Basis
	Purposes []signedPurpose          // signed, in option order
	Visits   []behaviours.StateVisits // of the iteration's own steps, by state

	// Behaviours reads the options of some purposes. It is nil if the purposes have no options, since there is no
	// model.
	Behaviours func(list []int) ([]*behaviours.Behaviour, error)
	States     int // of each behaviour, which determine its memory
}

// signedPurpose is a signed eigenpurpose with its reference.
type signedPurpose struct {
	schema.Purpose
	Ref    string // RUN:K/J±
	Number *int   // of its option, nil where purposes have none

	compared []float64 // its vector in the metric's coordinates, nil for the vector itself
}

// coordinates returns the purpose's vector in the metric's coordinates.
func (s signedPurpose) coordinates() []float64 {
	if s.compared != nil {
		return s.compared
	}
	return s.Vector
}

// direction is a purpose without its sign.
type direction struct {
	j      int
	sigma  float64
	vector []float64
	image  []float64 // see [images]; nil until it is needed
	signed [2]int    // indices of the purposes of sign + and −, −1 for none
}

// directions returns the directions of a set, in order of j, by their entries at some of the metric's coordinates, or
// at all of them if live is nil.
func (o *optionSet) directions(live []int) []direction {
	var all []direction
	for i, p := range o.Purposes {
		if len(all) == 0 || all[len(all)-1].j != p.J {
			all = append(all, newDirection(p, live))
		}
		all[len(all)-1].signed[signIndex(p.Sign)] = i
	}
	return all
}

func newDirection(p signedPurpose, live []int) direction {
	d := direction{j: p.J, sigma: p.Sigma, vector: p.coordinates(), signed: [2]int{-1, -1}}
	if live != nil {
		d.vector = pick(d.vector, live)
	}
	if p.Sign < 0 {
		d.vector = slices.Clone(d.vector)
		for i, x := range d.vector {
			d.vector[i] = 0 - x
		}
	}
	return d
}

// liveCoordinates returns the coordinates in which some vector is not 0, in ascending order.
func liveCoordinates(dims int, vectors [][]float64) []int {
	some, live := make([]bool, dims), make([]int, 0, dims)
	for _, v := range vectors {
		for i, x := range v {
			some[i] = some[i] || x != 0
		}
	}
	for i, changes := range some {
		if changes {
			live = append(live, i)
		}
	}
	return live
}

// restrict returns the metric of vectors that are 0 in all but some coordinates, by their entries in these, with the
// same cosines.
func (m *metric) restrict(live []int) *metric {
	if len(live) == m.Dims() {
		return m
	}
	return &metric{Similarity: m.Restrict(live)}
}

// purposes returns the indices of the direction's purposes.
func (d direction) purposes() []int {
	return slices.DeleteFunc(d.signed[:], func(p int) bool { return p < 0 })
}

func signIndex(sign int) int {
	if sign < 0 {
		return 1
	}
	return 0
}

func vectors(ds []direction) [][]float64 {
	list := make([][]float64, len(ds))
	for i, d := range ds {
		list[i] = d.vector
	}
	return list
}

// images returns the directions' images, which it keeps.
func images(m *metric, ds []direction) [][]float64 {
	list := make([][]float64, len(ds))
	for i := range ds {
		if ds[i].image == nil {
			ds[i].image = m.Image(ds[i].vector)
		}
		list[i] = ds[i].image
	}
	return list
}

// orderSets compares two sets, so that they can be put in an order that does not depend on which was given first.
func orderSets(a, b *optionSet) int {
	return slices.CompareFunc(a.Purposes, b.Purposes, func(p, q signedPurpose) int {
		return cmp.Or(cmp.Compare(p.J, q.J), -cmp.Compare(p.Sign, q.Sign), cmp.Compare(p.Sigma, q.Sigma),
			slices.Compare(p.Vector, q.Vector))
	})
}
