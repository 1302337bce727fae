package replay

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
)

// Sample is the n-th of t parts of the work: every t-th unit of a run. A unit is a signed purpose
// to be learned, or another stage. The offset within a run depends on the run's ID, so that the
// part is a t-th of many runs too. A nil Sample stands for all of the work.
type Sample struct {
	N, T int
	seen int
}

// forRun returns the sample with the offset of a run.
func (s *Sample) forRun(run schema.Digest) *Sample {
	if s == nil {
		return nil
	}
	offset := binary.BigEndian.Uint64(run[:8]) % uint64(s.T)
	return &Sample{N: s.N, T: s.T, seen: int(offset)}
}

func (s *Sample) takeNext() bool {
	if s == nil {
		return true
	}
	s.seen++
	return (s.seen-s.N)%s.T == 0
}
