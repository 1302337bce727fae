package tracker

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker/codec"
)

// TestLinkLimit: as many links as Linux follows are followed, and one more is refused.
func TestLinkLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	chain := func(n int) (string, error) {
		last := path
		for i := range n {
			link := fmt.Sprintf("%s.%d.%d", path, n, i)
			ok(t, os.Symlink(last, link))
			last = link
		}
		return followLinks(last)
	}
	at, err := chain(maxLinks)
	ok(t, err)
	equal(t, "the file", at, path)
	if _, err := chain(maxLinks + 1); err == nil || !strings.Contains(err.Error(), "more than 40 symbolic links") {
		t.Error(err)
	}
}

// TestStudySizeLimit: the size that the row of a study claims is refused before anything is unpacked.
func TestStudySizeLimit(t *testing.T) {
	claim := func(size uint64) error {
		_, _, err := decodeStudy(studyKey("t"), binary.AppendUvarint(append(make([]byte, 32), codec.Delta), size))
		return err
	}
	at, beyond := claim(runset.MaxPlanBytes), claim(runset.MaxPlanBytes+1)
	if !strings.Contains(fmt.Sprint(at), "stored form is malformed") ||
		!strings.Contains(fmt.Sprint(beyond), "a study of 67108865 bytes") {
		t.Errorf("at the limit %v, one beyond %v", at, beyond)
	}
}
