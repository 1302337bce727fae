package tracker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/tracker/internal/filelock"
)

// TestRemoteIsWarnedOf simulates network file systems by the magic numbers of statfs(2)'s manual
// page and of the systems' headers.
func TestRemoteIsWarnedOf(t *testing.T) {
	s, _, name := NewStoreWithRun(t, "record")
	before := filelock.FileSystemMagic
	t.Cleanup(func() { filelock.FileSystemMagic = before })
	for magic, want := range map[int64]string{
		0x6969: "NFS", 0x517B: "SMB", 0xFE534D42: "SMB", 0xFF534D42: "CIFS", 0x65735546: "FUSE", 0x01021997: "9p",
		0x0BD00BD0: "Lustre",
		0x47504653: "GPFS", 0x00C36400: "CephFS", 0x5346414F: "AFS", 0x6B414653: "AFS", 0x73757245: "Coda",
		0x19830326: "BeeGFS",
		0xEF53:     "", 0x01021994: "", 0x9123683E: "", 0x58465342: "", // ext4, tmpfs, btrfs, XFS
	} {
		filelock.FileSystemMagic = func(*os.File) (int64, error) { return magic, nil }
		var warnings []string
		other := New(s.path, Options{Warn: func(text string) { warnings = append(warnings, text) }})
		for range 3 {
			ok(t, other.View(t.Context(), func(tx *Tx) error { _, err := tx.ReadRecord(name); return err }))
		}
		ok(t, other.Update(t.Context(), func(*Tx) error { return nil }))
		switch {
		case want == "" && len(warnings) > 0:
			t.Errorf("%#x: %q", magic, warnings)
		case want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], want) ||
			!strings.Contains(warnings[0], s.path)):
			t.Errorf("%#x: %q, want one of %s", magic, warnings, want)
		}
	}
	filelock.FileSystemMagic = func(*os.File) (int64, error) { return 0, errors.New("statfs fails") }
	ok(t, SecondStore(s).View(t.Context(), func(*Tx) error { return nil }))
}
