package check_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/tracker/check"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestCheckReadsASample: by default a check reads a sample of the records, and reports which.
func TestCheckReadsASample(t *testing.T) {
	s := NewStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 200, 2)
	all := Check(t, s, check.Options{Size: 1 << 30})
	Equal(t, "sample", all.Sample, "1/1")
	Equal(t, "read", all.Read, all.Records)

	found := Check(t, s, check.Options{Size: all.ReadBytes / 4})
	if found.Read == 0 || found.Read > all.Records/2 {
		t.Errorf("%d of %d records were read", found.Read, all.Records)
	}
	Equal(t, "bytes", found.Bytes, all.Bytes)
	var n, of int
	_, err := fmt.Sscanf(found.Sample, "%d/%d", &n, &of)
	OK(t, err)
	again := Check(t, s, check.Options{Read: check.SelectPart(n, of)})
	Equal(t, "read again", again.Read, found.Read)
	Equal(t, "sample", again.Sample, "")

	total := 0
	for n := range of {
		total += Check(t, s, check.Options{Read: check.SelectPart(n+1, of)}).Read
	}
	Equal(t, "all parts", total, all.Records)
	Equal(t, "nothing", Check(t, s, check.Options{}).Read, 0)
}
