package diff

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestCountItems: the measures tell how many purposes and options a group has, and how many random ones these are
// compared with.
func TestCountItems(t *testing.T) {
	g := &groupComparison{
		runs: tinyRuns(t, 5, 3), out: &Clustering{By: Options, Draws: 30}, limits: Limits{}.WithDefaults(),
		purposes: map[*Side][][]schema.Purpose{}, sigma: map[*Side][][]float64{}, progress: func(float64) {},
	}
	m, err := metricOf(t.Context(), g.runs...)
	ok(t, err)
	g.metric = m.metric
	directions, err := g.poolDirections()
	ok(t, err)
	options, err := g.poolOptions()
	ok(t, err)
	ofDirections, ofOptions := *directions, *options
	ofDirections.sets, ofOptions.sets = nil, nil
	_, err = g.readSizes(&ofDirections, &ofOptions)
	ok(t, err)
	for _, c := range [][2]*pool{{directions, &ofDirections}, {options, &ofOptions}} {
		d := c[0]
		n := c[1].countItems()
		_, _, err := g.compare(t.Context(), d)
		ok(t, err)
		held := 0
		switch items := d.items.(type) {
		case *purposeImages:
			held = len(items.images)
		case *optionTraces:
			held = len(items.traces)
		}
		if int(n.found) != len(d.found) || int(n.found+n.random) != held || n.random == 0 {
			t.Errorf("%s: %+v, but there are %d in all, %d of them found", d.kind, n, held, len(d.found))
		}
	}
}
