package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// errSubmitting is the error of a sweep that another process is submitting.
var errSubmitting = errors.New("another process is submitting this sweep")

// staleAfter is the age at which the lock file of a submission counts as stale: twice the time
// limit of all its commands.
const staleAfter = 6 * commandTimeout

// isStaleLock reports whether a file is a lock that is too old to belong to a live process.
func isStaleLock(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) <= staleAfter ||
		info.Size() > maxLockBytes {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && lockPattern().Match(text)
}

var lockPattern = textfmt.Pattern(`^process [0-9]+ on [^\n]*\n$`)

// maxLockBytes is an upper limit on the size of a lock file, in bytes.
const maxLockBytes = 1 << 10

// WithSubmitLock calls submit while holding the lock of dir: two processes that look for missing
// tasks at once would both submit them. The lock is a file that only one process can create. Any
// other file with its name blocks everyone.
func WithSubmitLock(dir string, submit func() error) error {
	path := filepath.Join(dir, "submitting")
	if isStaleLock(path) {
		_ = os.Remove(path)
	}
	host, _ := os.Hostname()
	err := tempfile.WriteAtomic(path, fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0o666, false)
	if errors.Is(err, fs.ErrExist) {
		return schema.Hint(errSubmitting, "wait for it; if it is gone, remove %s", textfmt.ShellPath(path))
	}
	if err != nil {
		return err
	}
	return errors.Join(submit(), os.Remove(path))
}
