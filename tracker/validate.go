package tracker

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// validate says whether a run with so many iterations is one that podtrack writes:
// with specs that can be run, and with all that it shares if it is a fork, since
// only that proves its ancestors.
func (r Run) validate(done int) error {
	if (r.Start == nil) != (len(r.Ancestors) == 0) || done > MaxIterations {
		return damagedError("run %.7s: its row", r.ID)
	}
	begin := 0
	for _, a := range r.lineage() {
		if a.Until <= begin {
			return damagedError("run %.7s: the order of its ancestors", r.ID)
		}
		if err := a.validate(); err != nil {
			return err
		}
		begin = a.Until
	}
	if n := len(r.Ancestors); n > 0 && done < r.Ancestors[n-1].Until {
		return damagedError("run %.7s, a fork with %d of the %d iterations that it shares", r.ID, done, r.Ancestors[n-1].Until)
	}
	return nil
}

// validate says whether the spec can be run, and is in its one form.
func (a Ancestor) validate() error {
	id, err := a.ID()
	if err != nil {
		return err
	}
	if err := a.Spec.Validate(); err != nil {
		return err
	}
	if again, err := a.ID(); err != nil || again != id {
		return errors.Join(fmt.Errorf("%w: it is not in its one form", schema.ErrSpec), err)
	}
	return nil
}
