package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Filter is a conjunction of terms. A term is key=value, with alternatives after commas and ranges
// of numbers, as in seed=0-29 reading=as-published tag=x, or has another operator: distance>200
// kappa<=2 purposes!=6 tag~stu. See [parseTerm].
type Filter []term

// ParseFilter parses terms. A key may be a parameter that a program declares: whether one does is known only
// when runs are selected.
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

// Match reports whether the run passes every term. It reads the run's measures if a term needs
// them.
func (f Filter) Match(tx *tracker.Tx, r *Run) (bool, error) {
	for _, t := range f {
		if !r.isMeasure(t.key) && !t.match(r) {
			return false, nil
		}
	}
	for _, t := range f {
		if !r.isMeasure(t.key) {
			continue
		}
		if err := r.loadMeasure(tx, t.key); err != nil {
			return false, err
		}
		if !t.match(r) {
			return false, nil
		}
	}
	return true, nil
}

// Sort orders runs by a field, descending where key begins with a minus: numbers as numbers, all
// else as text, and runs without a value last. The sort is stable. To sort by a measure,
// [LoadLastMeasures] must have been called.
func Sort(runs []Run, key string) error {
	name, descending := strings.CutPrefix(key, "-")
	measure := IsMeasureOf(runs, name)
	unknown := !IsKeyOf(runs, name) && (len(runs) > 0 || !declaredKey.MatchString(name))
	if unknown || measure && slices.ContainsFunc(runs, func(r Run) bool { return !r.hasMeasure(name) }) {
		return schema.Hint(fmt.Errorf("%w: cannot sort by %q", ErrFilter, name),
			"%s; a minus before a key sorts in descending order", textform.DidYouMean(name, "keys", KeysOf(runs)))
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		x, _ := a.Field(name)
		y, _ := b.Field(name)
		if measure && (x == "" || y == "") {
			return strings.Compare(y, x)
		}
		if descending {
			x, y = y, x
		}
		return compare(x, y)
	})
	return nil
}
