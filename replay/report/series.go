package report

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadSeries reads recorded measures of a run by iteration, also those of an external stage: of all its iterations, or
// of so many that lie about evenly among them if it has more, always with the last one. A value is nil where the
// measure is undefined or its record cannot be read. Names that are no recorded measures have no series.
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
