package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

const usualRecords = 256 // of a run, before any is known

// places has the places of the records of the next runs in the source, at one of its revisions.
type places struct {
	revision string
	runs     int // number of runs whose records they are
	of       rows.Places
	perRun   int // records of a run, rounded up, as seen so far
}

// lookUp looks up the records of as many of the runs as have about portion.LookedUp records. It reads the rows
// that list them in the order of IDs.
func (p *places) lookUp(tx *tracker.Tx, group []*runReader) {
	p.of = nil
	if p.perRun == 0 {
		p.perRun = usualRecords
	}
	n := min(len(group), max(1, portion.LookedUp/p.perRun))
	var names []schema.Digest
	for _, w := range orderByID(group[:n]) {
		names = w.appendRecordNames(tx, names, portion.LookedUp)
	}
	p.perRun = len(names)/n + 1
	p.of, p.runs = tx.Rows().LookUp(names), n
}

// appendRecordNames appends the records of iterations that the target lacks, up to a length of most. It stops
// at damage.
func (r *runReader) appendRecordNames(t *tracker.Tx, names []schema.Digest, most int) []schema.Digest {
	for k := max(r.k, len(r.ourLinks)); r.err == nil && k < r.done && len(names) < most; k++ {
		it, err := t.ReadIteration(r.run.ID, k)
		if err != nil {
			return names
		}
		for _, e := range it.Records {
			names = append(names, e.Name)
		}
	}
	return names
}
