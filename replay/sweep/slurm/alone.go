package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// ErrBusy says that another process is submitting the same sweep.
var ErrBusy = errors.New("another process is submitting this sweep")

// gone is the age at which who left a note of submitting is taken to be gone: twice what
// all of its commands may take.
const gone = 6 * patience

// Alone submits while nobody else does for the same dir: two that look for what is
// missing at once would both find it. The note of it is a file that one can make.
func Alone(dir string, submit func() error) error {
	path := filepath.Join(dir, "submitting")
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > gone {
		_ = os.Remove(path)
	}
	note, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return schema.Hint(ErrBusy, "wait for it; if it is gone, remove %s", schema.ShellPath(path))
	}
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	_, err = fmt.Fprintf(note, "process %d on %s\n", os.Getpid(), host)
	if err = errors.Join(err, note.Close()); err == nil {
		err = submit()
	}
	return errors.Join(err, os.Remove(path))
}
