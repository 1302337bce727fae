package repair

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestSequenceLimit: the sequence of run numbers in a damaged file is believed if it is not too far ahead.
func TestSequenceLimit(t *testing.T) {
	for inFile, want := range map[uint64]bool{maxRemoved + 6: true, maxRemoved + 7: false, 8: true, 7: false, 3: false} {
		if got := isBelievable(inFile, 7); got != want {
			t.Errorf("believed %d: %v", inFile, got)
		}
	}
}

// TestFoundRowLimit: a row that is found in a damaged file can be of the largest size, and no larger one is taken up.
func TestFoundRowLimit(t *testing.T) {
	key := make([]byte, len(schema.Digest{}))
	for size, taken := range map[int64]bool{rows.MaxListRow: true, rows.MaxListRow + 1: false} {
		if got := len(candidateBuckets(key, size)) > 0; got != taken {
			t.Errorf("taken up with %d bytes: %v", size, got)
		}
	}
}
