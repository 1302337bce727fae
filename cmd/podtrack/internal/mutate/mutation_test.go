package main

import (
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestMutations: each kind of mutation is found, with what it makes of the source.
func TestMutations(t *testing.T) {
	const source = `package p

const most = 3

func f(a, b int) (int, error) {
	for {
		if a < b {
			continue
		}
		a = g(a, b)
		b--
		h(func() error { return err })
		switch {
		case a > b:
			return b, err
		}
	}
}
`
	f := finder{fset: token.NewFileSet(), source: []byte(source), pkg: module + "p", path: "p.go"}
	file, err := parser.ParseFile(f.fset, "p.go", source, 0)
	check(err)
	f.find(file)
	var got []string
	for _, m := range f.found {
		got = append(got, m.String())
		first, last := m.line, m.line
		switch m.line {
		case 3: // outside of functions
			first, last = 1, math.MaxInt
		case 14: // the condition of a case
			first, last = 5, 18
		}
		if m.first != first || m.last != last {
			t.Errorf("%s: %d to %d", m, m.first, m.last)
		}
	}
	want := []string{
		"p/p.go:3 | constant `3` → `4`",
		"p/p.go:3 | constant `3` → `(2)`",
		"p/p.go:7 | negate `a < b` → `!(a < b)`",
		"p/p.go:7 | boundary `<` → `<=`",
		"p/p.go:8 | branch `continue` → `break`",
		"p/p.go:10 | delete `a = g(a, b)`",
		"p/p.go:10 | swap `a, b` → `b, a`",
		"p/p.go:11 | delete `b--`",
		"p/p.go:12 | delete `h(func() error { return err })`",
		"p/p.go:12 | error `err` → `nil`",
		"p/p.go:14 | boundary `>` → `>=`",
		"p/p.go:15 | error `err` → `nil`",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	shuffled := func(seed uint64) []mutation {
		return draw([][]mutation{slices.Clone(f.found), slices.Clone(f.found)}, rand.New(rand.NewPCG(seed, 0)))
	}
	if a := shuffled(1); len(a) != 2*len(want) || !reflect.DeepEqual(a, shuffled(1)) || reflect.DeepEqual(a, shuffled(2)) {
		t.Error("the order is not that of the seed, or not all")
	}
}
