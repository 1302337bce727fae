package report

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// Errors of naming an option that the run does not have, by its number or by its direction.
var (
	ErrNoOptionNumber = errors.New("no option")
	ErrNoOption       = errors.New("has no option")
)

// FindOption returns the iteration that made the run's option with that number, and the option's index in it.
func FindOption(r *recorded.Records, number int) (k, at int, err error) {
	before := 0
	for k, it := range r.Iterations {
		n := len(it.RecordsOf(schema.KindOption))
		if number < before+n {
			return k, number - before, nil
		}
		before += n
	}
	switch before {
	case 0:
		return 0, 0, schema.Hint(fmt.Errorf("%w %d: run %s has no options", ErrNoOptionNumber, number, r.Label()),
			AdviceNoOptions, r.Label())
	case 1:
		err = fmt.Errorf("%w %d: run %s has one, option 0", ErrNoOptionNumber, number, r.Label())
	default:
		err = fmt.Errorf("%w %d: run %s has %d, options 0 to %d", ErrNoOptionNumber, number, r.Label(), before, before-1)
	}
	return 0, 0, schema.Hint(err, AdviceOptionRange, r.Label())
}

// FindPurpose returns the index of the purpose that a reference names among those that its iteration selected.
func FindPurpose(r *recorded.Records, ref Ref) (at int, err error) {
	if err := r.CheckIteration(ref.K); err != nil {
		return 0, err
	}
	_, purposes, err := r.Selection(ref.K)
	for i, p := range purposes {
		if p.J == ref.J && p.Sign == ref.Sign {
			return i, nil
		}
	}
	return 0, cmp.Or(err, NoOptionError(r, ref))
}

// NoOptionError returns the error of a reference to an option that its iteration does not have.
func NoOptionError(r *recorded.Records, ref Ref) error {
	return schema.Hint(fmt.Errorf("iteration %d of run %s %w %s", ref.K, r.Label(), ErrNoOption,
		OptionName(ref.J, ref.Sign)), AdviceListRejected, r.Label())
}

// OptionNumber returns the number of the option that a reference names by its iteration and direction.
func OptionNumber(r *recorded.Records, ref Ref) (int, error) {
	at, err := FindPurpose(r, ref)
	if err != nil {
		return 0, err
	}
	if len(r.Iterations[ref.K].RecordsOf(schema.KindOption)) == 0 {
		return 0, NoOptionError(r, ref)
	}
	return r.FirstNumber(ref.K) + at, nil
}

// ResolveRef returns a reference to this run that names an option by its iteration and direction,
// given one that may name it by its number.
func ResolveRef(r *recorded.Records, ref Ref) (Ref, error) {
	if !ref.ByNumber {
		return ref, nil
	}
	k, at, err := FindOption(r, ref.Number)
	if err != nil {
		return ref, err
	}
	_, purposes, err := r.Selection(k)
	if err != nil {
		return ref, err
	}
	if at >= len(purposes) {
		return ref, r.WrapError(k, fmt.Errorf("%w: more options than purposes", wire.ErrMalformed))
	}
	return Ref{Run: ref.Run, K: k, J: purposes[at].J, Sign: purposes[at].Sign}, nil
}
