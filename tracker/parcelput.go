package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// apply writes the parcel, referents first. A checkpoint is of the iteration
// after those that are here, so it goes when that comes; a lease that does not
// count goes, so that its owner, should it wake, finds that out.
func (p *parcel) apply(u *unloading) error {
	tx, id := u.Tx, p.way.run.ID
	if p.fresh {
		if _, err := tx.insert(p.way.run, p.union.Annotation); err != nil {
			return err
		}
		if k := p.way.said.keep; k != nil {
			if err := tx.SetRetention(id, *k); err != nil {
				return err
			}
		}
	}
	if p.dead {
		if err := tx.remove(bucketLeases, id[:]); err != nil {
			return err
		}
	}
	if err := p.putRecords(u); err != nil {
		return err
	}
	if err := p.putIterations(tx); err != nil {
		return err
	}
	for _, e := range p.evaluations {
		if err := tx.putEvaluated(e); err != nil {
			return err
		}
	}
	if err := tx.putUnion(id, p.union); err != nil || !p.last {
		return err
	}
	return tx.putProofs(id, p.union.proofs)
}

func (p *parcel) putRecords(u *unloading) error {
	late := p.have > p.end() // another process brought what they are for
	for _, l := range p.records {
		r := u.s.records[l.i]
		if p.way.broken[r.entry.Name] {
			healed, err := u.heal(l.i)
			if err != nil {
				return fmt.Errorf("write record %s: %w", r.entry.Name, err)
			}
			if healed {
				p.healed++
			}
			continue
		}
		brought, back, err := u.bring(l.i, late && r.entry.Kind != schema.KindEvaluation)
		if err != nil {
			return fmt.Errorf("append record %s: %w", r.entry.Name, err)
		}
		if brought {
			p.put++
			p.putBytes += int64(len(r.stored))
		}
		if back {
			p.back++
		}
	}
	for _, name := range p.gone {
		if late {
			break
		}
		if err := u.bury(name); err != nil {
			return err
		}
	}
	return nil
}

func (p *parcel) putIterations(tx *Tx) error {
	id := p.way.run.ID
	for _, f := range p.unknown() {
		if err := tx.putIteration(id, f.k, f.it); err != nil {
			return err
		}
		if err := write(tx, bucketCosts, partKey(id, f.k), f.cost); err != nil {
			return err
		}
	}
	if len(p.unknown()) == 0 {
		return nil
	}
	return tx.remove(bucketCheckpoints, id[:])
}
