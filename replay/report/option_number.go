package report

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrNoOptionNumber is the error of an option number that a run does not have.
var ErrNoOptionNumber = errors.New("no option")

// FindOption returns the iteration of the run's option of that number, and its place among the
// options of that iteration.
func (r Run) FindOption(iterations []schema.Iteration, number int) (k, at int, err error) {
	before := 0
	for k, it := range iterations {
		n := len(it.RecordsOf(schema.KindOption))
		if number < before+n {
			return k, number - before, nil
		}
		before += n
	}
	switch before {
	case 0:
		return 0, 0, schema.Advise(fmt.Errorf("%w %d: run %s has no options", ErrNoOptionNumber, number, r.Label()),
			AdviceNoOptions, r.Label())
	case 1:
		err = fmt.Errorf("%w %d: run %s has one, option 0", ErrNoOptionNumber, number, r.Label())
	default:
		err = fmt.Errorf("%w %d: run %s has %d, options 0 to %d", ErrNoOptionNumber, number, r.Label(), before, before-1)
	}
	return 0, 0, schema.Advise(err, AdviceOptionRange, r.Label())
}

// FirstNumbers returns the number of the first option of each iteration, and last the number of
// options.
func FirstNumbers(iterations []schema.Iteration) []int {
	numbers := make([]int, len(iterations)+1)
	for k, it := range iterations {
		numbers[k+1] = numbers[k] + len(it.RecordsOf(schema.KindOption))
	}
	return numbers
}
