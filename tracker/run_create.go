package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

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
	return t.PutIteration(to, k, it, cost)
}
