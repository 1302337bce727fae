package report

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
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

// indexedKeys lists the keys whose runs are found through an index, without reading the rows of all runs, the cheapest
// first.
var indexedKeys = []string{"run", "name", "status", "tag"}

// findCandidates returns a superset of the runs that pass the filter, found through the index of one of its terms. ok
// is false if no term has an index: then any run may pass.
func (f Filter) findCandidates(tx *tracker.Tx) (ids []schema.Digest, ok bool, err error) {
	for _, key := range indexedKeys {
		for _, t := range f {
			if t.key == key && t.isIndexed() {
				ids, err = t.find(tx)
				return ids, true, err
			}
		}
	}
	return nil, false, nil
}

// isIndexed reports whether [term.find] returns the runs that match the term.
func (t term) isIndexed() bool {
	switch t.key {
	case "run":
		isPattern := func(v value) bool { return v.pattern != nil }
		return t.operator == equals && !t.negated && !slices.ContainsFunc(t.values, isPattern)
	case "name":
		return !t.matchesFact("") // most runs have no name
	case "status":
		running := func(v value) bool { return v.text == string(tracker.Running) }
		return t.operator == equals && !t.negated && !slices.ContainsFunc(t.values, func(v value) bool { return !running(v) })
	case "tag":
		return !t.negated && !t.matchesTags(nil) // most runs may have no tag
	}
	return false
}

// find returns at least the runs that match an indexed term.
func (t term) find(tx *tracker.Tx) (ids []schema.Digest, err error) {
	switch t.key {
	case "run":
		for _, v := range t.values {
			ids = append(ids, tx.FindByPrefix(strings.ToLower(v.text))...)
		}
		return ids, nil
	case "name":
		return tx.FindNamed(t.matchesFact)
	case "status":
		return tx.LeasedRuns()
	}
	if t.operator == exactly {
		return tx.FindTagged(func(tag string) bool { return hasTag([]string{tag}, t.values[0]) })
	}
	return tx.FindTagged(t.matchesFact)
}

// of returns the terms whose keys isOne accepts.
func (f Filter) of(isOne func(key string) bool) (terms Filter) {
	for _, t := range f {
		if isOne(t.key) {
			terms = append(terms, t)
		}
	}
	return terms
}

// matchRow reports whether a run with that row passes every term of f, which can be decided from it: see [isOnRow]. It
// ignores terms of external measures.
func (f Filter) matchRow(r tracker.Run) (bool, error) {
	if len(f) == 0 {
		return true, nil
	}
	run, err := describeRow(r)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(f, func(t term) bool { return !run.isMeasure(t.key) && !t.match(&run) }), nil
}
