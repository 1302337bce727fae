package report

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrDependent is the error of a group in which runs share iterations.
var ErrDependent = errors.New("runs are not independent")

// CheckIndependent returns an error if runs share iterations, as a fork and its parent do:
// statistics over them would count the same records several times. Runs that share any iteration
// share the first.
func CheckIndependent(runs []Run) error {
	first := map[schema.Digest]Run{}
	for _, r := range runs {
		root := r.ID
		if len(r.Ancestors) > 0 {
			root = r.Ancestors[0].Run
		}
		if r.Iterations == 0 {
			continue
		}
		if other, found := first[root]; found {
			return schema.Hint(fmt.Errorf("%w: %s and %s share iterations", ErrDependent, other.Label(), r.Label()),
				"choose one of them; the term parent= leaves forks out")
		}
		first[root] = r
	}
	return nil
}
