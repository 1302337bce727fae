package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// iterations follows the chain. Beyond what is damaged it goes on from the link
// that is recorded.
func (r *runCheck) iterations() error {
	k, link := 0, schema.Digest{}
	for key, row := range r.tx.within(bucketIterations, r.id[:]) {
		at, ok := partNumber(key)
		if ok && k < at {
			r.gone(k, at-1)
			k, link = at, schema.Digest{}
		}
		var it schema.Iteration
		why, err := r.attempt(func() (err error) {
			if !ok {
				return damagedRow(bucketIterations, key)
			}
			if it, err = decodeIteration(key, row); err != nil || r.run == nil || k > 0 && link.IsZero() {
				return err
			}
			return r.run.follows(k, link, it)
		})
		if err != nil {
			return err
		}
		if why != "" {
			r.damage(bucketIterations, new(k), why)
		}
		r.note(new(k), it.Records)
		k, link = k+1, it.Link
		r.found.Iterations++
	}
	r.done = k
	return r.tx.notStray(bucketIterations, r.id[:])
}

func (r *runCheck) gone(first, last int) {
	why := "it is gone"
	if last > first {
		why = fmt.Sprintf("it is gone, and so are those after it up to %d", last)
	}
	r.damage(bucketIterations, &first, why)
}

// note adds to the records that are to be there.
func (r *runCheck) note(k *int, entries []schema.Entry) {
	for _, e := range entries {
		kind, noted := r.kinds[e.Name]
		if noted && kind != e.Kind {
			r.add(Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name, Why: fmt.Sprintf("elsewhere it is listed as %s", kind)})
		}
		if !noted {
			r.kinds[e.Name] = e.Kind
		}
	}
}

// evaluations are each of an iteration that is there, by its link.
func (r *runCheck) evaluations() error {
	all, err := r.tx.hanging(r.id)
	for _, e := range all {
		r.note(&e.K, []schema.Entry{e.entry()})
	}
	return err
}

func (r *runCheck) checkpoint() error {
	c, err := r.tx.ReadCheckpoint(r.id)
	if err == nil && c != nil {
		r.note(nil, c.Records)
	}
	return err
}
