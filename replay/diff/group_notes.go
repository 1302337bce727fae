package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// notesOn returns notes on properties of the runs that weaken the conclusions of a comparison.
func notesOn(runs []*Side) []string {
	notes := []string{}
	if fields := differingFields(runs); len(fields) > 0 {
		notes = append(notes, fmt.Sprintf("the runs differ in %s: they are not repetitions of one experiment",
			strings.Join(fields, ", ")))
	}
	if a, b := sameSeed(runs); a != nil {
		notes = append(notes, fmt.Sprintf("%s and %s have the same seed: they are not independent", a.Label(), b.Label()))
	}
	if slices.ContainsFunc(runs, func(r *Side) bool { return r.Spec.Basis == schema.RowsOfV }) {
		notes = append(notes, "rows of V depend on the signs of the singular vectors, which are a convention")
	}
	return notes
}

// differingFields returns the fields, other than the seed, in which the runs' specs differ.
func differingFields(runs []*Side) (names []string) {
	specs := make([]report.Run, 0, len(runs))
	for _, r := range runs {
		specs = append(specs, report.Of(r.Records))
	}
	for _, t := range report.TallyFields(specs) {
		if len(t.Values) > 1 && t.Field != "seed" {
			names = append(names, t.Field)
		}
	}
	return names
}

// sameSeed returns the first two runs with one seed, nil if there are none.
func sameSeed(runs []*Side) (a, b *Side) {
	first := map[uint64]*Side{}
	for _, r := range runs {
		if had := first[r.Spec.Seed]; had != nil {
			return had, r
		}
		first[r.Spec.Seed] = r
	}
	return nil, nil
}
