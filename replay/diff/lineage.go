package diff

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
)

// Lineages returns the run's directions by the consecutive iterations in which they were found. It
// compares no options.
func (r *Run) Lineages(ctx context.Context, limits Limits) ([]Lineage, error) {
	m, err := r.Metric(ctx)
	if err == nil {
		err = r.traceLineages(m, len(r.Iterations)-1, limits)
	}
	return r.lineages.list(), err
}

// traceLineages extends the lineages up to iteration k.
func (r *Run) traceLineages(m *Metric, k int, limits Limits) error {
	for i := len(r.lineages.lineageOf); i <= k; i++ {
		_, purposes, err := r.Selection(i)
		if err != nil {
			return err
		}
		now := (&optionSet{Purposes: r.withoutRefs(purposes)}).directions(m)
		r.lineages.extend(now, matchPrevious(r.lineages.before, now, limits), func(d direction) string {
			return report.OptionRef(r.Label(), i, d.j, 1)
		})
	}
	return nil
}

// matchPrevious returns for each direction of now the index in before that it continues, −1 for
// none.
func matchPrevious(before, now []direction, limits Limits) []int {
	weights := magnitudes(pod.Cosines(images(now), images(before)))
	limit := limits.WithDefaults().Cosine
	from := assign(weights, len(now), len(before))
	for i, j := range from {
		if j >= 0 && weights[i][j] < limit {
			from[i] = -1
		}
	}
	return from
}
