package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrSubmitting says that another process is submitting the same sweep.
var ErrSubmitting = errors.New("another process is submitting this sweep")

// staleAfter is the age at which who left a note of submitting is taken to be gone: twice what
// all of its commands may take.
const staleAfter = 6 * commandTimeout

// isStaleLock reports whether a file is a note that is too old to be of a process at work.
func isStaleLock(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) <= staleAfter || info.Size() > maxLockBytes {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && lockPattern.Match(text)
}

var lockPattern = regexp.MustCompile(`^process [0-9]+ on [^\n]*\n$`)

// maxLockBytes is longer than any note, in bytes.
const maxLockBytes = 1 << 10

// WithSubmitLock submits while nobody else does for the same dir: two that look for what is
// missing at once would both find it. The note of it is a file that one can make. Any
// other file of its name keeps everybody back.
func WithSubmitLock(dir string, submit func() error) error {
	path := filepath.Join(dir, "submitting")
	if isStaleLock(path) {
		_ = os.Remove(path)
	}
	host, _ := os.Hostname()
	err := tracker.WriteFileAtomic(path, fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0o666, false)
	if errors.Is(err, fs.ErrExist) {
		return schema.Hint(ErrSubmitting, "wait for it; if it is gone, remove %s", schema.ShellPath(path))
	}
	if err != nil {
		return err
	}
	return errors.Join(submit(), os.Remove(path))
}
