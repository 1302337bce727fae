package tracker

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestRemoteIsWarnedOf simulates network file systems by the magic numbers of statfs(2)'s manual
// page and of the systems' headers.
func TestRemoteIsWarnedOf(t *testing.T) {
	s, _, name := newStoreWithRun(t, "record")
	before := fileSystemMagic
	t.Cleanup(func() { fileSystemMagic = before })
	for magic, want := range map[int64]string{
		0x6969: "NFS", 0x517B: "SMB", 0xFE534D42: "SMB", 0xFF534D42: "CIFS", 0x65735546: "FUSE", 0x01021997: "9p",
		0x0BD00BD0: "Lustre",
		0x47504653: "GPFS", 0x00C36400: "CephFS", 0x5346414F: "AFS", 0x6B414653: "AFS", 0x73757245: "Coda",
		0x19830326: "BeeGFS",
		0xEF53:     "", 0x01021994: "", 0x9123683E: "", 0x58465342: "", // ext4, tmpfs, btrfs, XFS
	} {
		fileSystemMagic = func(*os.File) (int64, error) { return magic, nil }
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
	fileSystemMagic = func(*os.File) (int64, error) { return 0, errors.New("statfs fails") }
	ok(t, secondStore(s).View(t.Context(), func(*Tx) error { return nil }))
}

// TestLockQueueKeepsReadersBehindAWriter: a waiting writer keeps new readers out, and admits them
// once it has the lock. The queue of a file that is no longer the store's keeps nobody out.
func TestLockQueueKeepsReadersBehindAWriter(t *testing.T) {
	s, _, _ := newStoreWithRun(t, "record")
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	ok(t, err)
	defer f.Close()
	again, err := os.Open(s.path)
	ok(t, err)
	defer again.Close()
	writer, reader := s.newLockQueue(f, true), s.newLockQueue(again, false)
	ok(t, reader.enter())
	if writer.enter() == nil {
		t.Error("a writer passes a reader in the gate")
	}
	reader.leave()
	ok(t, writer.enter())
	if reader.enter() == nil {
		t.Error("a reader passes a writer in the gate")
	}
	writer.leave()
	ok(t, reader.enter())
	third, err := os.Open(s.path)
	ok(t, err)
	defer third.Close()
	ok(t, s.newLockQueue(third, false).enter()) // readers share it
	reader.leave()
	remote := fileSystemMagic
	defer func() { fileSystemMagic = remote }()
	fileSystemMagic = func(*os.File) (int64, error) { return 0x6969, nil }
	ok(t, s.newLockQueue(third, true).enter())
}
