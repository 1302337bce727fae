package tracker

import "github.com/podtrack/podtrack/schema"

// apply writes the parcel, referents first. A checkpoint is of the iteration
// after those that are here, so it goes when that comes; a lease that does not
// count goes, so that its owner, should it wake, finds that out.
func (p *parcel) apply(tx *Tx) error {
	id := p.way.run.ID
	if p.fresh {
		if _, err := tx.insert(p.way.run, p.union.Annotation); err != nil {
			return err
		}
		if k := p.way.said.keep; k != nil {
			if err := tx.SetKeep(id, *k); err != nil {
				return err
			}
		}
	}
	if p.dead {
		if err := tx.remove(bucketLeases, id[:]); err != nil {
			return err
		}
	}
	if err := p.putRecords(tx); err != nil {
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
	return tx.putUnion(id, p.union)
}

func (p *parcel) putRecords(tx *Tx) error {
	late := p.have > p.end() // another process brought what they are for
	for _, r := range p.records {
		lacking := tx.Pruned(r.entry.Name)
		if tx.Has(r.entry.Name) || late && !lacking && r.entry.Kind != schema.KindEvaluation {
			continue
		}
		if lacking {
			p.back++
		}
		if err := tx.append(r.entry.Name, r.stored); err != nil {
			return err
		}
		p.put++
		p.putBytes += int64(len(r.stored))
	}
	for _, name := range p.gone {
		if late || tx.Has(name) || tx.Pruned(name) {
			continue
		}
		if _, err := tx.entomb(name); err != nil {
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
