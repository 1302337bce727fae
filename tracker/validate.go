package tracker

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// Validate returns an error unless podtrack can have written the run with done iterations: its specs must be
// valid, and a fork must have all iterations that it shares, since only they prove its ancestors.
func (r Run) Validate(done int) error {
	if (r.Start == nil) != (len(r.Ancestors) == 0) || done > MaxIterations {
		return storeerr.Damaged("row of run %.7s", r.ID)
	}
	begin := 0
	for _, a := range r.lineage() {
		if a.Until <= begin {
			return storeerr.Damaged("run %.7s: the order of its ancestors", r.ID)
		}
		if err := a.validate(); err != nil {
			return err
		}
		begin = a.Until
	}
	if n := len(r.Ancestors); n > 0 && done < r.Ancestors[n-1].Until {
		return storeerr.Damaged("fork %.7s with only %d of the %d iterations that it shares", r.ID, done,
			r.Ancestors[n-1].Until)
	}
	return nil
}

// validate returns an error unless the spec is valid and in normal form.
func (a Ancestor) validate() error {
	id, err := a.ID()
	if err != nil {
		return err
	}
	if err := a.Spec.Validate(); err != nil {
		return err
	}
	if again, err := a.ID(); err != nil || again != id {
		return errors.Join(fmt.Errorf("%w: it is not in normal form", schema.ErrSpec), err)
	}
	return nil
}

// A ShapeCheck returns an error if a record of iteration k of a run cannot have that shape.
type ShapeCheck func(k int, kind schema.Kind, shape schema.Shape) error
