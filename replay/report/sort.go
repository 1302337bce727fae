package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// sortBy sorts items by a comma-separated list of keys, such as kappa,-seed; later keys decide between equals. A minus
// before a key makes its order descending. order returns the comparison of a key, or an error for an unknown one. The
// sort is stable.
func sortBy[T any](items []T, list string, order func(key string, descending bool) (func(a, b T) int, error)) error {
	keys := strings.Split(list, ",")
	slices.Reverse(keys) // the sort is stable, so the first key is applied last
	for _, key := range keys {
		name, descending := strings.CutPrefix(strings.TrimSpace(key), "-")
		compare, err := order(name, descending)
		if err != nil {
			return err
		}
		slices.SortStableFunc(items, compare)
	}
	return nil
}

func unknownSortKeyError(key string, keys []string) error {
	return schema.Hint(fmt.Errorf("%w: cannot sort by %q", ErrFilter, key),
		"%s; a minus before a key sorts in descending order, and a second key after a comma orders equal rows",
		textfmt.DidYouMean(key, "keys", keys))
}

// SortKeys returns the keys in a list that [Sort] takes.
func SortKeys(list string) (keys []string) {
	if list == "" {
		return nil
	}
	for _, key := range strings.Split(list, ",") {
		keys = append(keys, MeasureName(strings.TrimPrefix(strings.TrimSpace(key), "-")))
	}
	return keys
}

// Sort sorts runs by a list of fields, such as kappa,-seed, descending where a key begins with a minus. Numbers are
// ordered as numbers, all else as text, and runs without a measure come last. The sort is stable. [LoadColumns] must
// have read what the keys need.
func Sort(runs []Run, list string) error {
	return sortBy(runs, list, func(key string, descending bool) (func(a, b Run) int, error) {
		name := MeasureName(key)
		measure := IsMeasureOf(runs, name)
		unknown := !IsKeyOf(runs, name) && (len(runs) > 0 || !declaredKey().MatchString(name))
		if unknown || slices.ContainsFunc(runs, func(r Run) bool { return !r.isLoaded(name) }) {
			return nil, unknownSortKeyError(key, KeysOf(runs))
		}
		return func(a, b Run) int {
			x, _ := a.Field(name)
			y, _ := b.Field(name)
			if measure && (x == "" || y == "") {
				return strings.Compare(y, x)
			}
			if descending {
				x, y = y, x
			}
			return compare(x, y)
		}, nil
	})
}
