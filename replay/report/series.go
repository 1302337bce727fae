package report

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadSeries reads recorded measures of a run by iteration, built-in or external. If the run has more than most
// iterations, it reads most of them, spaced about evenly, with the last one among them. A value is nil where the
// measure is undefined or its record cannot be read. Names of other measures have no series.
func LoadSeries(tx *tracker.Tx, r Run, names []string, most int) map[string][]*float64 {
	series, external := map[string][]*float64{}, slices.ContainsFunc(names, r.hasExternal)
	for n := range min(most, r.Iterations) {
		k := n
		if r.Iterations > most {
			k = (n+1)*r.Iterations/most - 1
		}
		m, err := LoadMeasures(tx, r.ID, k)
		var own schema.ExternalMeasures
		if external {
			own, _ = LoadExternalMeasures(tx, r.ID, k) // none if they cannot be read
		}
		for _, name := range names {
			if r.hasExternal(name) {
				series[name] = append(series[name], own[name])
				continue
			}
			switch value, recorded := m.Get(name); {
			case !recorded:
			case err != nil:
				series[name] = append(series[name], nil)
			default:
				series[name] = append(series[name], value)
			}
		}
	}
	return series
}
