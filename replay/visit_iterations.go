package replay

import (
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// viewer runs functions in read transactions.
type viewer = func(func(*tracker.Tx) error) error

// maxShared is how long a transaction lasts that iterations share. Writers wait for it.
const maxShared = 50 * time.Millisecond

// VisitIterations calls visit for each iteration in order, until it returns an error, and returns at which one it did.
// What visit reads goes through its viewer. Iterations of one record of transitions share transactions, which view
// opens and closes: opening one for each takes longer than reading what is small, above all beside a writer. Visits to
// other iterations open transactions of their own.
func VisitIterations(
	view viewer, iterations []schema.Iteration, visit func(view viewer, k int) error,
) (k int, err error) {
	for k < len(iterations) && err == nil {
		if !isShort(iterations[k]) {
			if err = visit(view, k); err == nil {
				k++
			}
			continue
		}
		err = view(func(tx *tracker.Tx) error {
			shared := func(read func(*tracker.Tx) error) error { return read(tx) }
			for begun := time.Now(); k < len(iterations) && isShort(iterations[k]); k++ {
				if err := visit(shared, k); err != nil {
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
