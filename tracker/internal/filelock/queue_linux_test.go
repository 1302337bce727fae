package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestQueueKeepsReadersBehindAWriter: a waiting writer keeps new readers out, and admits them once it has the lock. The
// queue of a file that is no longer the store's keeps no process out.
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

// TestClosedQueue: a process that copies the file closes the queue to other writers, and lets readers pass, also beside
// waiting writers; it can still lock the file. When it closes the file, or ends, the queue opens.
func TestClosedQueue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	never := func(bool) bool { return true }
	try := func(mode Mode) (copied bool, err error) {
		err = Lock(t.Context(), open(), mode, func(is bool) bool { copied = is; return true })
		return copied, err
	}
	source := open()
	if err := Lock(t.Context(), source, ToCopy, never); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{Exclusive, ToCopy} {
		if copied, err := try(mode); !errors.Is(err, ErrTimeout) || !copied {
			t.Errorf("mode %d: %v, and it knows that the file is copied: %v", mode, err, copied)
		}
	}
	reader := open()
	if err := Lock(t.Context(), reader, Shared, never); err != nil {
		t.Errorf("a reader: %v", err)
	}
	if err := Lock(t.Context(), source, Exclusive, never); !errors.Is(err, ErrTimeout) {
		t.Errorf("locked beside a reader: %v", err)
	}
	_ = reader.Close()
	if err := Lock(t.Context(), source, Exclusive, never); err != nil {
		t.Errorf("the copying process itself: %v", err)
	}
	_ = source.Close()
	if _, err := try(Exclusive); err != nil {
		t.Errorf("after it: %v", err)
	}
}
