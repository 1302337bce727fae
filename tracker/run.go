package tracker

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// MaxIterations is the largest number of iterations of a run. An iteration's number has 4 bytes of its key.
const MaxIterations = runset.MaxIterations

// A Run is the identity of a run. Its ID is the digest of all of it except the number.
type Run struct {
	ID     schema.Digest
	Spec   schema.Spec
	Start  *schema.Digest // link at which a fork begins, nil if the run is not a fork
	Number uint64         // order of creation, from 1; numbers of removed runs are not reused

	Ancestors []Ancestor // of a fork, the oldest first
}

// An Ancestor is a range of a fork's iterations that were made with another spec: from the Until of the
// previous ancestor to Until − 1.
type Ancestor struct {
	Spec  schema.Spec    `cbor:"spec"`
	Start *schema.Digest `cbor:"start"` // as in [Run]
	Until int            `cbor:"until"`
}

// ID returns the ID of the run that the iterations come from.
func (a Ancestor) ID() (schema.Digest, error) { return schema.RunID(a.Spec, a.Start) }

// AncestorsBefore returns the ancestors of the run's iterations before k, the run itself included.
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
	if i := r.ancestorOf(k); i < len(r.Ancestors) {
		return r.Ancestors[i].Spec
	}
	return r.Spec
}

// AccumulatesTransitions reports whether any iteration learns from the transitions of all iterations before it.
func (r Run) AccumulatesTransitions() bool {
	return r.Spec.AccumulatesTransitions() || slices.ContainsFunc(r.Ancestors, func(a Ancestor) bool {
		return a.Spec.AccumulatesTransitions()
	})
}

// PreviousLink returns the link that iteration k chains to, given the link of iteration k − 1. For the first
// iteration of an ancestor it is the ID of the ancestor's run, which must start at the given link.
func (r Run) PreviousLink(k int, link schema.Digest) (schema.Digest, error) {
	i := r.ancestorOf(k)
	a := r.lineage()[i]
	switch begins := i == 0 && k == 0 || i > 0 && r.Ancestors[i-1].Until == k; {
	case !begins:
		return link, nil
	case (k == 0) != (a.Start == nil) || k > 0 && *a.Start != link:
		return link, storeerr.Damaged("run %s: its ancestor from iteration %d begins at another link", r.ID, k)
	}
	return a.ID()
}

// ancestorOf returns the index in [Run.lineage] of the ancestor of iteration k.
func (r Run) ancestorOf(k int) int {
	return sort.Search(len(r.Ancestors), func(i int) bool { return r.Ancestors[i].Until > k })
}

// Link returns the link of iteration k with these records, given the link of iteration k − 1.
func (r Run) Link(k int, before schema.Digest, records []schema.Entry) (schema.Digest, error) {
	previous, err := r.PreviousLink(k, before)
	if err != nil {
		return previous, err
	}
	return schema.Link(k, previous, records)
}

// VerifyLink verifies the link of iteration k, given the link of iteration k − 1.
func (r Run) VerifyLink(k int, before schema.Digest, it schema.Iteration) error {
	link, err := r.Link(k, before, it.Records)
	if err == nil && link != it.Link {
		err = storeerr.Damaged("link %s does not match the iteration", it.Link)
	}
	return err
}

// lineage returns the ancestors followed by the run itself.
func (r Run) lineage() []Ancestor {
	return append(r.Ancestors[:len(r.Ancestors):len(r.Ancestors)],
		Ancestor{Spec: r.Spec, Start: r.Start, Until: MaxIterations})
}

// A Claim describes a run that a process wants to work on.
type Claim struct {
	Spec      schema.Spec
	Start     *schema.Digest // link at which a fork begins, nil if the run is not a fork
	Fork      *Fork          // where to begin the fork, if it does not exist
	Target    int            // number of iterations to reach; a higher target of the run is kept
	Open      *bool          // whether more may follow; nil leaves it as it is
	Name      string         // of the run; "" keeps the current one
	Tags      []string       // to add to the run's
	Retention *Retention     // to set; nil keeps the current one

	// Check, if not nil, is called before anything is written for the claim, which fails with its error.
	Check func(*Tx) error

	// Session describes this process, except for the fields that its lease has; nil writes no row.
	Session *Session
}

// A Fork is the point at which a new run leaves another: before its iteration K.
type Fork struct {
	Parent schema.Digest
	K      int
}

// CreateRun returns the run, and creates it if necessary.
func (t *Tx) CreateRun(c Claim) (Run, error) {
	id, err := schema.RunID(c.Spec, c.Start)
	if err != nil {
		return Run{}, err
	}
	if t.rows.HasRun(id) {
		return t.ReadRun(id)
	}
	r := Run{ID: id, Spec: c.Spec, Start: c.Start}
	if c.Start != nil {
		if r.Ancestors, err = t.createFork(c, id); err != nil {
			return Run{}, err
		}
	}
	return t.InsertRun(r, Annotation{Created: t.store.Now().UnixNano()})
}

// InsertRun writes the rows of a new run, under the next number.
func (t *Tx) InsertRun(r Run, a Annotation) (Run, error) {
	var err error
	if r.Number, err = t.rows.Bucket(rows.BucketOrder).NextSequence(); err != nil {
		return Run{}, fmt.Errorf("number run %s: %w", r.ID, err)
	}
	if t.rows.Bucket(rows.BucketOrder).Get(rows.NumberKey(r.Number)) != nil {
		return Run{}, storeerr.Damaged("number run %s: %d already exists: the bucket's sequence is wrong", r.ID, r.Number)
	}
	if err := t.PutRun(r); err != nil {
		return Run{}, err
	}
	if err := t.rows.PutRef(rows.BucketOrder, rows.NumberKey(r.Number), r.ID); err != nil {
		return Run{}, err
	}
	return r, t.PutAnnotation(r.ID, a)
}

// createFork copies the iterations that a new fork shares with its parent, so that it does not
// depend on the parent, and returns its ancestors.
func (t *Tx) createFork(c Claim, id schema.Digest) ([]Ancestor, error) {
	if c.Fork == nil {
		return nil, schema.Hint(storeerr.Missing("run %s", id),
			"it begins at link %s of another run: fork that run again", c.Start)
	}
	parent, err := t.ReadRun(c.Fork.Parent)
	if err != nil {
		return nil, err
	}
	for k := range c.Fork.K {
		it, err := t.ReadIteration(parent.ID, k)
		var cost Cost
		if err == nil {
			cost, err = t.ReadCost(parent.ID, k)
		}
		if err == nil {
			err = t.PutIteration(id, k, it, cost)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, link, err := t.ReadHead(id); err != nil || link != *c.Start {
		return nil, fmt.Errorf("fork run %.7s before iteration %d: %w: it begins at another link", parent.ID, c.Fork.K,
			ErrInvalid)
	}
	return parent.AncestorsBefore(c.Fork.K), nil
}

// ReadRun returns the run with that ID.
func (t *Tx) ReadRun(id schema.Digest) (Run, error) {
	value, err := t.rows.Get(rows.BucketRuns, id[:])
	if err != nil {
		return Run{}, err
	}
	if value == nil {
		return Run{}, storeerr.Missing("run %s", id)
	}
	r, err := decodeRun(id[:], value, &t.specs)
	if err != nil {
		return Run{}, err
	}
	if r.ID != id {
		return Run{}, storeerr.Damaged("run %s: its row belongs to another run", id)
	}
	return r, nil
}

// readIndexedRun returns a run to which a number or a name refers. A missing run is damage.
func (t *Tx) readIndexedRun(id schema.Digest) (Run, error) {
	r, err := t.ReadRun(id)
	if errors.Is(err, ErrMissing) {
		err = storeerr.Damaged("run %s has a number or a name, but does not exist", id)
	}
	return r, err
}

// Runs yields all runs, newest first. It continues after an error.
func (t *Tx) Runs() iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		c := t.rows.Bucket(rows.BucketOrder).Cursor()
		for key, row := c.Last(); key != nil; key, row = c.Prev() {
			var run Run
			id, err := rows.DecodeRef(rows.BucketOrder, key, row)
			if err == nil {
				run, err = t.readIndexedRun(id)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

type runRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors wire.List[Ancestor] `cbor:"ancestors"`
}

// PutRun writes the row of a run.
func (t *Tx) PutRun(r Run) error {
	row := runRow{Number: r.Number, Spec: r.Spec, Start: r.Start, Ancestors: r.Ancestors}
	return rows.Write(t.rows, rows.BucketRuns, r.ID[:], row)
}

// decodeRun decodes the verified row of a run, and computes the run's ID. specs is a cache, or nil.
func decodeRun(key, value []byte, specs *runset.SpecCache) (Run, error) {
	if r, ok := decodeSimilarRun(value, specs); ok {
		return r, nil
	}
	row, err := rows.Decode[runRow](rows.BucketRuns, key, value)
	if err != nil {
		return Run{}, err
	}
	r := Run{Spec: row.Spec, Start: row.Start, Number: row.Number, Ancestors: row.Ancestors}
	if r.ID, err = schema.RunID(r.Spec, r.Start); err == nil && r.Start == nil && specs != nil {
		err = specs.Add(r.Spec)
	}
	return r, err
}

// decodeSimilarRun decodes the row of a run that is not a fork and whose spec is like an earlier one. ok is
// false for other rows.
func decodeSimilarRun(value []byte, specs *runset.SpecCache) (r Run, ok bool) {
	if specs == nil {
		return r, false
	}
	c := wire.NewCBORReader(value)
	c.ReadMap(4)
	c.ReadKey("spec")
	spec, encoded := specs.Read(&c)
	c.ReadKey("start")
	c.ReadNull()
	c.ReadKey("number")
	r = Run{Spec: spec, Number: c.ReadUint(), Ancestors: []Ancestor{}}
	c.ReadKey("ancestors")
	c.ReadEmptyArray()
	if !c.Complete() {
		return Run{}, false
	}
	r.ID = schema.RunIDOfEncodedSpec(encoded)
	return r, true
}
