package tracker

import (
	"fmt"
	"slices"
	"sort"

	"github.com/podtrack/podtrack/schema"
)

// Ancestor is a range of a fork's iterations that was made with another spec: from the Until of the
// previous ancestor up to Until − 1.
type Ancestor struct {
	Spec  schema.Spec    `cbor:"spec"`
	Start *schema.Digest `cbor:"start"` // as in [Run]
	Until int            `cbor:"until"`
}

// ID returns the ID of the run that the iterations come from.
func (a Ancestor) ID() (schema.Digest, error) { return schema.RunID(a.Spec, a.Start) }

// Fork is the point at which a new run leaves another: before its iteration K.
type Fork struct {
	Parent schema.Digest
	K      int
}

// createFork copies the iterations that a new fork shares with its parent, so that it does not
// depend on the parent, and returns its ancestors.
func (t *Tx) createFork(c Claim, id schema.Digest) ([]Ancestor, error) {
	if c.Fork == nil {
		return nil, schema.Hint(missingError("run %s", id), "it begins at link %s of another run: fork that run again",
			c.Start)
	}
	parent, err := t.ReadRun(c.Fork.Parent)
	if err != nil {
		return nil, err
	}
	for k := range c.Fork.K {
		if err := t.copyIteration(parent.ID, id, k); err != nil {
			return nil, err
		}
	}
	if _, link, err := t.ReadHead(id); err != nil || link != *c.Start {
		return nil, fmt.Errorf("fork run %.7s before iteration %d: %w: it begins at another link", parent.ID, c.Fork.K,
			ErrInvalid)
	}
	return parent.AncestorsBefore(c.Fork.K), nil
}

func (t *Tx) copyIteration(from, to schema.Digest, k int) error {
	it, err := t.ReadIteration(from, k)
	if err != nil {
		return err
	}
	cost, err := t.ReadCost(from, k)
	if err != nil {
		return err
	}
	if err := t.putIteration(to, k, it); err != nil {
		return err
	}
	return writeRow(t, bucketCosts, partKey(to, k), cost)
}

// AncestorsBefore returns the ancestors of the run's iterations up to k − 1, the run itself
// included.
func (r Run) AncestorsBefore(k int) []Ancestor {
	var ancestors []Ancestor
	begin := 0
	for _, a := range r.lineage() {
		if begin >= k {
			break
		}
		begin = a.Until
		a.Until = min(a.Until, k)
		ancestors = append(ancestors, a)
	}
	return ancestors
}

// SpecAt returns the spec that iteration k was or will be made with.
func (r Run) SpecAt(k int) schema.Spec {
	if i := sort.Search(len(r.Ancestors), func(i int) bool { return r.Ancestors[i].Until > k }); i < len(r.Ancestors) {
		return r.Ancestors[i].Spec
	}
	return r.Spec
}

// AccumulatesExperience reports whether some iteration learns, or will learn, from the transitions of all
// iterations before it.
func (r Run) AccumulatesExperience() bool {
	return r.Spec.AccumulatesExperience() || slices.ContainsFunc(r.Ancestors, func(a Ancestor) bool {
		return a.Spec.AccumulatesExperience()
	})
}

// PreviousLink returns the link that iteration k chains to, given the link of iteration k − 1. At
// the first iteration of an ancestor that is the ID of the ancestor's run, which must start at the
// given link.
func (r Run) PreviousLink(k int, link schema.Digest) (schema.Digest, error) {
	a, begins := r.ancestorStartingAt(k)
	switch {
	case !begins:
		return link, nil
	case (k == 0) != (a.Start == nil) || k > 0 && *a.Start != link:
		return link, damagedError("run %s: its ancestor from iteration %d begins at another link", r.ID, k)
	}
	return a.ID()
}

// ancestorStartingAt returns the ancestor, or the run itself, whose first iteration is k.
func (r Run) ancestorStartingAt(k int) (a Ancestor, begins bool) {
	n := len(r.Ancestors)
	i := sort.Search(n, func(i int) bool { return r.Ancestors[i].Until > k }) // the ancestor of iteration k
	if begins = i == 0 && k == 0 || i > 0 && r.Ancestors[i-1].Until == k; !begins {
		return a, false
	}
	if i < n {
		return r.Ancestors[i], true
	}
	return Ancestor{Spec: r.Spec, Start: r.Start, Until: MaxIterations}, true
}

// verifyLink verifies the link of iteration k, given the link of iteration k − 1.
func (r Run) verifyLink(k int, before schema.Digest, it schema.Iteration) error {
	previous, err := r.PreviousLink(k, before)
	if err != nil {
		return err
	}
	link, err := schema.Link(k, previous, it.Records)
	if err == nil && link != it.Link {
		err = damagedError("link %s does not match the iteration", it.Link)
	}
	return err
}

// lineage returns the ancestors followed by the run itself.
func (r Run) lineage() []Ancestor {
	return append(r.Ancestors[:len(r.Ancestors):len(r.Ancestors)],
		Ancestor{Spec: r.Spec, Start: r.Start, Until: MaxIterations})
}
