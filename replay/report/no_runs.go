package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// ErrNoRuns is the error of a selection without runs.
var ErrNoRuns = errors.New("no run matches")

// newNoRunsErrorIn returns the [ErrNoRuns] of a selection, with the number of runs in the store. It suggests the most
// similar name or tag for a term, or else says which term to change.
func newNoRunsErrorIn(tx *tracker.Tx, selection []string) error {
	all, err := Select(tx, nil)
	if err != nil {
		return schema.Hint(fmt.Errorf("%w %s", ErrNoRuns, FormatSelection(selection)), AdviceSelectRuns)
	}
	if len(all) == 0 {
		return schema.Hint(fmt.Errorf("%w: the store has no runs", ErrNoRuns), AdviceMakeRun)
	}
	none := fmt.Errorf("%w %s; the store has %d runs", ErrNoRuns, FormatSelection(selection), len(all))
	if len(all) == 1 {
		none = fmt.Errorf("%w %s; the store has 1 run", ErrNoRuns, FormatSelection(selection))
	}
	for _, arg := range selection {
		if near := similarTerm(tx, arg); near != "" {
			return schema.Hint(none, AdviceSimilar, near)
		}
	}
	if why := explainNone(tx, all, selection); why != "" {
		return schema.Hint(none, AdviceChangeTerm, why)
	}
	return schema.Hint(none, AdviceSelectRuns)
}

// similarTerm returns the term with the most similar name or tag of any run, or with the most similar study. It returns
// "" if there is none or the term is of another key.
func similarTerm(tx *tracker.Tx, arg string) string {
	key, value, _ := strings.Cut(arg, "=")
	var candidates []string
	switch key {
	case "name":
		candidates = tx.RunNames()
	case "tag":
		candidates = tx.Tags()
	case "study":
		candidates = tx.StudyNames()
	}
	near := textfmt.Suggest(value, candidates)
	if near == "" || near == value {
		return ""
	}
	return key + equals + QuoteValue(near)
}

// explainNone returns the values that runs have of the field of the first term that none of them matches or, if each
// term matches some, how many runs each matches. It returns "" if the runs cannot be read.
func explainNone(tx *tracker.Tx, all []Run, selection []string) string {
	filter, err := ParseFilter(selection)
	if err != nil {
		return ""
	}
	var counts []string
	for i, t := range filter {
		n := 0
		for j := range all {
			run := all[j] // a term chooses among the places that a run has in studies
			matches, err := (Filter{t}).Match(tx, &run)
			if err != nil {
				return ""
			}
			if matches {
				n++
			}
		}
		if n == 0 {
			if LoadColumns(tx, all, []string{t.key}) != nil {
				return ""
			}
			return describeValues(all, t.key)
		}
		counts = append(counts, fmt.Sprintf("%s alone matches %d", selection[i], n))
	}
	return strings.Join(counts, ", ")
}

// describeValues returns the values that runs have of a field: the smallest and the largest number, or the texts.
// Measures must have been loaded.
func describeValues(runs []Run, key string) string {
	const most = 6 // values to list
	var texts []string
	numbers := true
	for _, v := range TallyField(runs, key).Values {
		if v.Value == "" {
			continue
		}
		texts, numbers = append(texts, v.Value), numbers && isNumber(v.Value)
	}
	if isPlaceKey(key) {
		texts, numbers = placeParts(runs, key), false
	}
	switch {
	case key == "run" || key == "head":
		return ""
	case len(texts) == 0:
		return fmt.Sprintf("none of them has a %s", key)
	case numbers && len(texts) > most:
		return fmt.Sprintf("their %s is %s to %s", key, texts[0], texts[len(texts)-1])
	case len(texts) > most:
		return fmt.Sprintf("their %s is %s, … (%d values)", key, strings.Join(texts[:most], ", "), len(texts))
	}
	return fmt.Sprintf("their %s is %s", key, strings.Join(texts, ", "))
}

// SelectSome returns the runs that args select like [Select], and fails with [ErrNoRuns] if there
// are none.
func SelectSome(tx *tracker.Tx, args []string) ([]Run, error) {
	chosen, err := Select(tx, args)
	if err == nil && len(chosen) == 0 {
		err = newNoRunsErrorIn(tx, SplitSelection(args))
	}
	return chosen, err
}
