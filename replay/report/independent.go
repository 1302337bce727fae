package report

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrDependent says that runs of one group share iterations.
var ErrDependent = errors.New("runs are not independent")

// CheckIndependent refuses runs that share iterations, as a fork and its parent do: a
// count or a spread over them would take the same records for several findings.
// Runs that share any iteration share the first.
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
