package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

// TestQueueKeepsReadersBehindAWriter: a waiting writer keeps new readers out, and admits them
// once it has the lock. The queue of a file that is no longer the store's keeps nobody out.
func TestQueueKeepsReadersBehindAWriter(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	must(err)
	defer f.Close()
	again, err := os.Open(path)
	must(err)
	defer again.Close()
	writer, reader := newQueue(f, true), newQueue(again, false)
	must(reader.enter())
	if writer.enter() == nil {
		t.Error("a writer passes a reader in the queue")
	}
	reader.leave()
	must(writer.enter())
	if reader.enter() == nil {
		t.Error("a reader passes a writer in the queue")
	}
	writer.leave()
	must(reader.enter())
	third, err := os.Open(path)
	must(err)
	defer third.Close()
	must(newQueue(third, false).enter()) // readers share it
	reader.leave()
	remote := FileSystemMagic
	defer func() { FileSystemMagic = remote }()
	FileSystemMagic = func(*os.File) (int64, error) { return 0x6969, nil }
	must(newQueue(third, true).enter())
}
