package report

import (
	"github.com/podtrack/podtrack/tracker"
)

// Filter is a conjunction of terms. A term is key=value, with alternatives after commas and ranges
// of numbers, as in seed=0-29 reading=as-published tag=x, or has another operator: distance>200
// kappa<=2 purposes!=6 tag~stu. See [parseTerm].
type Filter []term

// ParseFilter parses terms. A key may be a parameter that a program declares; whether one does is checked only when
// runs are selected.
func ParseFilter(args []string) (Filter, error) {
	var f Filter
	keys := FilterKeys()
	for _, arg := range args {
		t, err := parseTerm(arg, keys)
		if err != nil {
			return nil, err
		}
		f = append(f, t)
	}
	return f, nil
}

// Match reports whether the run passes every term. It reads the run's measures and other columns if a term
// needs them.
func (f Filter) Match(tx *tracker.Tx, r *Run) (bool, error) {
	var onDemand Filter
	for _, t := range f {
		switch {
		case isPlaceKey(t.key):
		case r.isOnDemand(t.key):
			onDemand = append(onDemand, t)
		case !t.match(r):
			return false, nil
		}
	}
	if isOne, err := f.of(isPlaceKey).matchPlaces(tx, r); err != nil || !isOne {
		return false, err
	}
	for _, t := range onDemand {
		if err := r.load(tx, t.key); err != nil {
			return false, err
		}
		if !t.match(r) {
			return false, nil
		}
	}
	return true, nil
}
