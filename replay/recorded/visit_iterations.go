package recorded

import (
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxShared is how long a transaction lasts that iterations share. Writers wait for it.
const maxShared = 50 * time.Millisecond

// VisitIterations calls visit for each iteration in order, until it returns an error, and returns at which one it did.
// Visit reads from the records that it is given. Iterations of one record of transitions share transactions: opening
// one for each takes longer than reading what is small, above all beside a writer. Visits to other iterations open
// transactions of their own.
func (r *Records) VisitIterations(visit func(in *Records, k int) error) (k int, err error) {
	for k < len(r.Iterations) && err == nil {
		if !isShort(r.Iterations[k]) {
			if err = visit(r, k); err == nil {
				k++
			}
			continue
		}
		err = r.View(func(tx *tracker.Tx) error {
			in := r.With(tx.View)
			for begun := time.Now(); k < len(r.Iterations) && isShort(r.Iterations[k]); k++ {
				if err := visit(in, k); err != nil {
					return err
				}
				if time.Since(begun) > maxShared {
					k++
					return nil
				}
			}
			return nil
		})
	}
	return k, err
}

// isShort reports whether the transitions of an iteration are one record at most.
func isShort(it schema.Iteration) bool { return len(it.RecordsOf(schema.KindTransitions)) <= 1 }
