package tracker

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestAncestorsBeginWhereTheySay gives a fork, and a fork of a fork, iterations whose links differ
// from those in their rows.
func TestAncestorsBeginWhereTheySay(t *testing.T) {
	a, b, other := schema.Name([]byte("a")), schema.Name([]byte("b")), schema.Name([]byte("other"))
	fork := Run{ID: b, Spec: spec(2), Start: &a, Ancestors: []Ancestor{{Spec: spec(1), Until: 2}}}
	twice := Run{ID: b, Spec: spec(3), Start: &b,
		Ancestors: []Ancestor{{Spec: spec(1), Until: 2}, {Spec: spec(2), Start: &a, Until: 4}}}
	for _, c := range []struct {
		name string
		run  Run
		k    int
		link schema.Digest
		err  error
	}{
		{"a fork's own first iteration", fork, 2, a, nil},
		{"on another's iterations", fork, 2, other, ErrDamaged},
		{"an ancestor's first", twice, 2, a, nil},
		{"an ancestor's, on another's", twice, 2, other, ErrDamaged},
		{"a fork of a fork's own first", twice, 4, b, nil},
		{"a fork of a fork's, on its ancestor's start", twice, 4, a, ErrDamaged},
		{"a start before all iterations", Run{ID: a, Spec: spec(1), Start: &b}, 0, schema.Digest{}, ErrDamaged},
		{"no start after some", Run{ID: a, Spec: spec(2), Ancestors: []Ancestor{{Spec: spec(1), Until: 2}}}, 2, b,
			ErrDamaged},
		{"inside a stretch", fork, 3, other, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.run.PreviousLink(c.k, c.link)
			if c.err != nil {
				wantErr(t, err, c.err)
				return
			}
			ok(t, err)
		})
	}
}
