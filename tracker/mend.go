package tracker

import (
	"bytes"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// mend makes the rows of the new store agree with each other: what refers to a
// run that is gone goes, what can be derived is made again.
func (s *salvager) mend() error {
	return s.to.Update(s.ctx, func(tx *Tx) error {
		for _, step := range []func(*Tx) error{s.dropOrphans, s.dropGaps, s.number, s.name, s.bury} {
			if err := step(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropOrphans removes the rows of runs whose own row is gone: nobody knows their
// specs.
func (s *salvager) dropOrphans(tx *Tx) error {
	told := map[schema.Digest]bool{}
	for _, bucket := range ofRun {
		if tx.buckets[bucket] == nil {
			continue
		}
		for _, key := range tx.keys(bucket, nil) {
			if len(key) < len(schema.Digest{}) {
				continue
			}
			id := schema.Digest(key[:len(schema.Digest{})])
			if tx.hasRun(id) {
				continue
			}
			if !told[id] {
				told[id] = true
				done, _, _ := tx.Head(id)
				s.out.Rows = append(s.out.Rows, LostRow{Bucket: bucketRuns, Run: &id,
					What: fmt.Sprintf("the spec of run %.12s is lost, and with it %d iterations; to run the spec again makes the same run", id, done)})
			}
			if err := tx.remove(bucket, key); err != nil {
				return err
			}
		}
	}
	for _, bucket := range []string{bucketOrder, bucketNames} {
		for key, row := range tx.within(bucket, nil) {
			if ref, err := decodeRef(bucket, key, row); err != nil || !tx.hasRun(ref) {
				if err := tx.remove(bucket, bytes.Clone(key)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dropGaps leaves of each run the iterations before the first that is gone.
func (s *salvager) dropGaps(tx *Tx) error {
	for _, key := range tx.keys(bucketRuns, nil) {
		id := schema.Digest(key)
		next := 0
		var gap *Gap
		for _, key := range tx.keys(bucketIterations, id[:]) {
			k, ok := partNumber(key)
			if !ok {
				continue
			}
			if k == next && gap == nil {
				next++
				continue
			}
			if gap == nil {
				gap = &Gap{Run: id, K: next, Links: map[int]schema.Digest{}}
			}
			it, err := tx.Iteration(id, k)
			if err != nil {
				return err
			}
			gap.Links[k] = it.Link
			if err := tx.remove(bucketIterations, key); err != nil {
				return err
			}
		}
		if made := tx.costed(id); gap == nil && made > next {
			gap = &Gap{Run: id, K: next, Links: map[int]schema.Digest{}, Made: made}
		} else if gap != nil {
			gap.Made = max(made, last(gap.Links)+1)
		}
		if gap != nil {
			s.out.Gaps = append(s.out.Gaps, *gap)
			if err := tx.remove(bucketCheckpoints, id[:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// costed is how many iterations the run once had, by the notes of what they took.
func (t *Tx) costed(id schema.Digest) int {
	key, _ := t.last(bucketCosts, id)
	if k, ok := partNumber(key); ok {
		return k + 1
	}
	return 0
}

func last(links map[int]schema.Digest) int {
	most := -1
	for k := range links {
		most = max(most, k)
	}
	return most
}

// number gives every run its place in the order of creation.
func (s *salvager) number(tx *Tx) error {
	last := uint64(0)
	for _, key := range tx.keys(bucketOrder, nil) {
		if err := tx.remove(bucketOrder, key); err != nil {
			return err
		}
	}
	for _, key := range tx.keys(bucketRuns, nil) {
		row, _, err := read[runRow](tx, bucketRuns, key)
		if err != nil {
			return err
		}
		s.runs, last = s.runs+1, max(last, row.Number)
		if err := write(tx, bucketOrder, numberKey(row.Number), runRef{Run: schema.Digest(key)}); err != nil {
			return err
		}
	}
	if err := tx.buckets[bucketOrder].SetSequence(last); err != nil {
		return fmt.Errorf("number runs: %w", err)
	}
	return nil
}

// name makes the index of names from what is said of the runs.
func (s *salvager) name(tx *Tx) error {
	for _, key := range tx.keys(bucketNames, nil) {
		if err := tx.remove(bucketNames, key); err != nil {
			return err
		}
	}
	for _, key := range tx.keys(bucketRuns, nil) {
		a, err := tx.Annotation(schema.Digest(key))
		if err != nil {
			return err
		}
		if a.Name == "" {
			continue
		}
		if err := write(tx, bucketNames, []byte(a.Name), runRef{Run: schema.Digest(key)}); err != nil {
			return err
		}
	}
	return nil
}

// bury puts tombstones for what was pruned and did not come back.
func (s *salvager) bury(tx *Tx) error {
	for name := range s.tombs {
		if _, named := s.names[name]; !named || tx.Has(name) {
			continue
		}
		if _, err := tx.entomb(name); err != nil {
			return err
		}
	}
	return nil
}
