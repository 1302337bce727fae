package check

import (
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// runCheck is the check of one run in one transaction.
type runCheck struct {
	*checker
	tx   *tracker.Tx
	id   schema.Digest
	run  *tracker.Run // nil if its row is damaged
	name string
	done int // number of iterations, from the first on
}

func (r *runCheck) reportDamage(kind string, k *int, why string) {
	if row, rest, ok := strings.Cut(why, " of "+kind); ok && strings.HasPrefix(row, "row "+r.id.String()) {
		why = "its row is not what was written" + rest
	}
	r.addDamage(Damage{Run: &r.id, Name: r.name, K: k, Kind: kind, Why: why})
}
