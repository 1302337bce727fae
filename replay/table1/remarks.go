package table1

import (
	"fmt"
	"math"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// Farthest is the largest |z| of a reading over its settings, metrics and
// columns 1 to 5, and where it stands.
func (t Table) Farthest(reading string) (worst float64, where string) {
	for _, s := range t.Settings {
		if s.Reading != reading {
			continue
		}
		for _, row := range s.Metrics {
			for _, c := range row.Cells[1:] {
				if c.Z != nil && math.Abs(*c.Z) > worst {
					worst = math.Abs(*c.Z)
					where = fmt.Sprintf("%s, %s, iteration %d", s.Observability, row.Metric, c.Column)
				}
			}
		}
	}
	return worst, where
}

// consistent is the |z| under which a reading is called consistent with the
// table: 30 comparisons a reading make one beyond 3 unlikely by chance.
const consistent = 3

// Remarks is the honest paragraph under the table.
func (t Table) Remarks() string {
	var b strings.Builder
	for _, reading := range schema.Readings() {
		worst, where := t.Farthest(reading)
		verdict := "Table 1 is consistent with"
		if worst >= consistent {
			verdict = "Table 1 is not consistent with"
		}
		fmt.Fprintf(&b, "%s the reading %s: over iterations 1 to 5, |z| is at most %.1f (%s).\n", verdict, reading, worst, where)
	}
	b.WriteString(remarks)
	return b.String()
}

const remarks = `Consistent with is not more than that. The paper's definitions name rows of Vᵀ,
which is as-written; numpy returns Vᵀ under the name V, so that V.T[j] is a row of V,
which as-published takes: a conjecture, not a statement of the authors.
Unexplained: the paper's parentheses of its first two rows look exchanged (20.9 cannot
be the deviation of a count from 0 to 9) and, for counts and distance, a constant near
2.9 too large, so z uses our own deviation. Its iteration-0 distance of 29.3 lies below
the two-sided distance shown here and fits a one-sided or a final one.
`
