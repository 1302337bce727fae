package rows

import (
	"strings"
	"testing"
)

// TestFormatIsPinned: a name or number that changes here needs another format version.
func TestFormatIsPinned(t *testing.T) {
	want := "podtrack records digests runs order iterations checkpoints leases annotations names tags costs sessions " +
		"keeps"
	if got := strings.Join(Buckets, " "); got != want {
		t.Errorf("buckets %s, want %s", got, want)
	}
	sum := checksum("runs", []byte("key"), []byte("value"))
	// printf 'podtrack/row/1runskeyvalue' | sha256sum
	if want := [SumSize]byte{0x06, 0xb1, 0xdb, 0x6d, 0x02, 0x88, 0xb2, 0x39}; sum != want {
		t.Errorf("checksum %x, want %x", sum, want)
	}
}

// TestPrintedKeyLimit: a key is printed unchanged up to a length, and a longer one is truncated to it.
func TestPrintedKeyLimit(t *testing.T) {
	for n, want := range map[int]string{maxPrintedKey: strings.Repeat("k", maxPrintedKey),
		maxPrintedKey + 1: strings.Repeat("k", maxPrintedKey) + "…"} {
		if got := PrintableKey([]byte(strings.Repeat("k", n))); got != want {
			t.Errorf("%d letters are %s, want %s", n, got, want)
		}
	}
}

// TestRowLimits: a row is verified up to the largest length of its bucket, and a longer one is damaged.
func TestRowLimits(t *testing.T) {
	for bucket, most := range map[string]int{BucketNames: 1 << 20, BucketIterations: 64 << 20, BucketCheckpoints: 64 << 20,
		BucketPodtrack: 64 << 20} {
		if got := Limit(bucket); got != most {
			t.Errorf("a row of %s has up to %d bytes, want %d", bucket, got, most)
		}
	}
	row := AppendChecksum(BucketNames, []byte("key"), make([]byte, MaxRow-SumSize))
	if _, err := Verify(BucketNames, []byte("key"), row); err != nil {
		t.Error(err)
	}
	row = AppendChecksum(BucketNames, []byte("key"), make([]byte, MaxRow-SumSize+1))
	if _, err := Verify(BucketNames, []byte("key"), row); err == nil {
		t.Error("a row of a byte more is verified")
	}
}
