package tracker

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestCheckReadsASample: by default a check reads a sample of the records, and reports which.
func TestCheckReadsASample(t *testing.T) {
	s := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 200, 2)
	all := checkStore(t, s, CheckOptions{Size: 1 << 30})
	equal(t, "sample", all.Sample, "1/1")
	equal(t, "read", all.Read, all.Records)

	found := checkStore(t, s, CheckOptions{Size: all.ReadBytes / 4})
	if found.Read == 0 || found.Read > all.Records/2 {
		t.Errorf("%d of %d records were read", found.Read, all.Records)
	}
	equal(t, "bytes", found.Bytes, all.Bytes)
	var n, of int
	_, err := fmt.Sscanf(found.Sample, "%d/%d", &n, &of)
	ok(t, err)
	again := checkStore(t, s, CheckOptions{Read: SelectPart(n, of)})
	equal(t, "read again", again.Read, found.Read)
	equal(t, "sample", again.Sample, "")

	total := 0
	for n := range of {
		total += checkStore(t, s, CheckOptions{Read: SelectPart(n+1, of)}).Read
	}
	equal(t, "all parts", total, all.Records)
	equal(t, "nothing", checkStore(t, s, CheckOptions{}).Read, 0)
}
