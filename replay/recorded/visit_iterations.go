package recorded

import (
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxShared is how long iterations share one transaction, for which writers have to wait.
const maxShared = 50 * time.Millisecond

// VisitIterations calls visit for each iteration in order until it returns an error, and returns the iteration at which
// it did. visit must read through the records that it is given. Iterations with at most one record of transitions share
// transactions: opening one takes longer than reading a small iteration, above all while another process writes. Larger
// iterations are read in transactions of their own.
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

// isShort reports whether an iteration has at most one record of transitions.
func isShort(it schema.Iteration) bool { return len(it.RecordsOf(schema.KindTransitions)) <= 1 }
