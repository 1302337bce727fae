package merge

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// readLinks returns the links of all iterations of the run, in order.
func readLinks(t *tracker.Tx, id schema.Digest) (links []schema.Digest, err error) {
	for key, row := range t.Rows().WithPrefix(rows.BucketIterations, id[:]) {
		if !bytes.Equal(key, rows.PartKey(id, len(links))) {
			return links, storeerr.Damaged("run %s: iteration %d is missing", id, len(links))
		}
		link, err := rows.DecodeLink(key, row)
		if err != nil {
			return links, err
		}
		links = append(links, link)
	}
	return links, t.Rows().CheckMisplaced(rows.BucketIterations, id[:])
}

// prunedRecords returns the pruned records of the run's iterations.
func prunedRecords(t *tracker.Tx, id schema.Digest) (names map[schema.Digest]bool, err error) {
	names = map[schema.Digest]bool{}
	its, err := t.ReadIterations(id)
	for _, it := range its {
		for _, e := range it.Records {
			if t.IsPruned(e.Name) {
				names[e.Name] = true
			}
		}
	}
	return names, err
}
