package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A segment is what one transaction writes of one run: iterations with their records or, of an iteration that
// is too large, some of its records in advance.
type segment struct {
	reader     *runReader
	first      int           // number of the first of iterations, or of the iteration of the records
	before     schema.Digest // link of the iteration before first, or zero
	iterations []finishedIteration
	records    []segmentRecord // without repetitions
	pruned     []schema.Digest // records that are pruned in the source
	delivered  []schema.Digest // records of iterations that earlier segments have written
	size       int64           // approximate, in bytes
	limit      int64           // largest size
	last       bool            // this is the run's last segment

	// Set by checkUnchanged and apply, within the transaction.

	done       int  // number of iterations in the target
	isNew      bool // the target does not have the run
	leaseStale bool // the target has a stale lease
	merged     mergedMetadata
	added      int   // number of records written
	addedBytes int64 // bytes of these as stored
	restored   int   // records that had been pruned in the target
	healed     int   // records that were damaged or missing in the target
	err        error // why this segment cannot be written; other segments can
}

// A finishedIteration is an iteration with its cost.
type finishedIteration struct {
	k    int
	it   schema.Iteration
	cost tracker.Cost
}

// A segmentRecord is a record that an iteration lists.
type segmentRecord struct {
	k int // the iteration
	i int // index in the batch's records
}

func (s *segment) isEmpty() bool {
	return len(s.iterations) == 0 && len(s.records) == 0 && len(s.pruned) == 0
}

// end returns the number of iterations of the run including those of the segment.
func (s *segment) end() int { return s.first + len(s.iterations) }

// checkLease returns an error if a process works on the run, unless only metadata must be written.
func (s *segment) checkLease(tx *tracker.Tx, id schema.Digest) error {
	if s.isEmpty() {
		return nil
	}
	l, err := tx.ReadLease(id)
	if err != nil {
		return refusedHereError(err)
	}
	s.leaseStale = l != nil
	if err := tx.CheckNotHeld(id, l); err != nil {
		return &runError{outcome: OutcomeHeld, k: -1, err: err}
	}
	return nil
}

// checkLinks verifies that the target has the same links for the segment's iterations, and for the one before
// them.
func (s *segment) checkLinks(tx *tracker.Tx, id schema.Digest) error {
	for k := max(s.first-1, 0); k < min(s.done, s.end()); k++ {
		it, err := tx.ReadIteration(id, k)
		if err != nil {
			return refusedHereError(err)
		}
		link := s.before
		if k >= s.first {
			link = s.iterations[k-s.first].it.Link
		}
		if it.Link != link {
			return changedError(id)
		}
	}
	return nil
}

// newIterations returns the iterations of the segment that the target lacks.
func (s *segment) newIterations() []finishedIteration {
	return s.iterations[min(s.done-s.first, len(s.iterations)):]
}
