package report

import "github.com/podtrack/podtrack/tracker"

// LoadSeries reads recorded measures of a run by iteration: of all its iterations, or of so many that lie
// about evenly among them if it has more, always with the last one. A value is nil where the measure is
// undefined or its record cannot be read. Names that are no recorded measures have no series.
func LoadSeries(tx *tracker.Tx, r Run, names []string, most int) map[string][]*float64 {
	series := map[string][]*float64{}
	for n := range min(most, r.Iterations) {
		k := n
		if r.Iterations > most {
			k = (n+1)*r.Iterations/most - 1
		}
		m, err := LoadMeasures(tx, r.ID, k)
		for _, name := range names {
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
