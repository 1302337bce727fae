package check

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// checkIterations verifies the chain of links. After damage it continues from the recorded link.
func (r *runCheck) checkIterations() error {
	k, link := 0, schema.Digest{}
	for key, row := range r.tx.Rows().WithPrefix(rows.BucketIterations, r.id[:]) {
		at, ok := rows.PartNumber(key)
		if ok && k < at {
			r.reportGone(k, at-1)
			k, link = at, schema.Digest{}
		}
		var it schema.Iteration
		why, err := r.catchDamage(func() (err error) {
			if !ok {
				return rows.DamagedError(rows.BucketIterations, key)
			}
			if it, err = rows.DecodeIteration(key, row); err != nil || r.run == nil || k > 0 && link.IsZero() {
				return err
			}
			return r.run.VerifyLink(k, link, it)
		})
		if err != nil {
			return err
		}
		if why != "" {
			r.reportDamage(rows.BucketIterations, new(k), why)
		}
		r.noteRecords(new(k), it.Records)
		k, link = k+1, it.Link
		r.report.Iterations++
	}
	r.done = k
	return r.tx.Rows().CheckMisplaced(rows.BucketIterations, r.id[:])
}

func (r *runCheck) reportGone(first, last int) {
	why := "it is missing"
	if last > first {
		why = fmt.Sprintf("iterations up to %d are missing", last)
	}
	r.reportDamage(rows.BucketIterations, &first, why)
}

// noteRecords adds the entries to the records that must exist.
func (r *runCheck) noteRecords(k *int, entries []schema.Entry) {
	for _, e := range entries {
		kind, noted := r.kinds[e.Name]
		if noted && kind != e.Kind {
			r.addDamage(Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name,
				Why: fmt.Sprintf("elsewhere it is listed as kind %s", kind)})
		}
		if !noted {
			r.kinds[e.Name] = e.Kind
		}
	}
}

func (r *runCheck) checkCheckpoint() error {
	c, err := r.tx.ReadCheckpoint(r.id)
	if err == nil && c != nil {
		r.noteRecords(nil, c.Records)
	}
	return err
}
