package rows

import (
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestFormatIsPinned: a name or number that changes here makes old stores unreadable.
func TestFormatIsPinned(t *testing.T) {
	formats := []int{FormatWhole, FormatPruned, FormatDelta, FormatEvaluations, FormatSessions, FormatLeaveOut,
		FormatNumerics, FormatExploration, FormatRewards, FormatStages}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(formats, want) {
		t.Errorf("formats %d, want %d", formats, want)
	}
	if schema.FormatVersion != FormatMeasures {
		t.Errorf("format version %d, want %d", schema.FormatVersion, FormatMeasures)
	}
	want := "podtrack records digests runs order iterations checkpoints leases annotations names tags costs sessions"
	if got := strings.Join(Buckets, " "); got != want {
		t.Errorf("buckets %s, want %s", got, want)
	}
	sum := checksum("runs", []byte("key"), []byte("value"))
	// printf 'podtrack/row/1runskeyvalue' | sha256sum
	if want := [SumSize]byte{0x06, 0xb1, 0xdb, 0x6d, 0x02, 0x88, 0xb2, 0x39}; sum != want {
		t.Errorf("checksum %x, want %x", sum, want)
	}
}
