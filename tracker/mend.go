package tracker

import (
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
	return nil
}

// dropGaps leaves of each run the iterations before the first that is gone.
func (s *salvager) dropGaps(tx *Tx) error {
	for _, key := range tx.keys(bucketRuns, nil) {
		gap, err := tx.gap(schema.Digest(key))
		if err != nil {
			return err
		}
		if gap == nil {
			continue
		}
		s.out.Gaps = append(s.out.Gaps, *gap)
		for k := range gap.Links {
			if err := tx.remove(bucketIterations, partKey(gap.Run, k)); err != nil {
				return err
			}
		}
		if err := tx.remove(bucketCheckpoints, key); err != nil {
			return err
		}
	}
	return nil
}

// gap is the first iteration of the run that is gone, nil where none is known to
// be. The notes of what iterations took say how many there were.
func (t *Tx) gap(id schema.Digest) (*Gap, error) {
	next, made := 0, t.costed(id)
	links := map[int]schema.Digest{}
	for _, key := range t.keys(bucketIterations, id[:]) {
		k, ok := partNumber(key)
		if !ok {
			continue
		}
		if k == next {
			next++
			continue
		}
		it, err := t.Iteration(id, k)
		if err != nil {
			return nil, err
		}
		links[k], made = it.Link, max(made, k+1)
	}
	if made <= next {
		return nil, nil
	}
	return &Gap{Run: id, K: next, Made: made, Links: links}, nil
}

// costed is how many iterations the run once had, by the notes of what they took.
func (t *Tx) costed(id schema.Digest) int {
	key, _, err := t.last(bucketCosts, id)
	if k, ok := partNumber(key); ok && err == nil {
		return k + 1
	}
	return 0
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
	if err := tx.btx.Bucket([]byte(bucketOrder)).SetSequence(last); err != nil {
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
