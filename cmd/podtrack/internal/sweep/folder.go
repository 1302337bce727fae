package sweep

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Folder is where the shards of a sweep meet:
//
//	sweep.json     the plan
//	store          the path of the store that it is gathered into, once that is known
//	parts/         what processes have made, each part under a unique name
//	logs/ …        files of the programs that start processes
//
// It is on a file system that all machines see. Nothing in it is ever written to
// under its final name.
type Folder struct{ Path string }

const (
	planName  = "sweep.json"
	storeName = "store"
	partsDir  = "parts"
)

func (f Folder) planPath() string  { return filepath.Join(f.Path, planName) }
func (f Folder) partsPath() string { return filepath.Join(f.Path, partsDir) }

// Init initializes the folder for the plan. It does nothing if the folder already has this plan
// and returns errOtherSweep if it has another. The folder of the parts is made last, so a
// process that finds it also finds the plan.
func (f Folder) Init(p *Plan) error {
	text, err := p.Marshal()
	if err == nil {
		err = f.makeSynced()
	}
	if err == nil {
		err = tempfile.WriteAtomic(f.planPath(), text, 0o666, false)
	}
	if errors.Is(err, fs.ErrExist) {
		err = f.CheckPlan(p)
	}
	if err == nil {
		_, err = f.MakeDir(partsDir)
	}
	return f.addHint(err)
}

// makeSynced makes the folder and syncs its parent.
func (f Folder) makeSynced() error {
	if err := os.MkdirAll(f.Path, 0o755); err != nil {
		return err
	}
	err := tempfile.SyncDir(filepath.Dir(filepath.Clean(f.Path)))
	if errors.Is(err, fs.ErrPermission) {
		return nil // syncing needs read permission
	}
	return err
}

// CheckPlan returns an error if the folder has another plan than p.
func (f Folder) CheckPlan(p *Plan) error {
	text, err := p.Marshal()
	if err != nil {
		return err
	}
	there, err := ReadFile(f.planPath(), maxFile)
	if err == nil && !bytes.Equal(there, text) {
		err = schema.Hint(fmt.Errorf("%s: %w", f.Path, errOtherSweep),
			"name another folder, or leave out the options that define the runs: the folder has them")
	}
	return f.addHint(err)
}

// RecordStore records the path of the store into which the parts are gathered, for later commands
// that ask for the sweep's progress.
func (f Folder) RecordStore(path string) error {
	return f.addHint(tempfile.WriteAtomic(filepath.Join(f.Path, storeName), []byte(path+"\n"), 0o666, true))
}

// RemoveTempFiles removes unfinished files that killed processes left in the folder.
func (f Folder) RemoveTempFiles() tempfile.Leftovers {
	l := tempfile.ReclaimIn(f.Path)
	l.Append(tempfile.ReclaimIn(f.partsPath()))
	return l
}

// Store returns the recorded store path, "" if there is none. Anyone with access to the folder may
// have written it, so use it for display: see [Folder.SubmittedFrom].
func (f Folder) Store() string {
	text, err := ReadFile(filepath.Join(f.Path, storeName), maxPath)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// maxPath is an upper limit on the length of a path, in bytes.
const maxPath = 64 << 10

func (f Folder) addHint(err error) error {
	if err == nil || schema.Remedy(err) != "" {
		return err
	}
	return schema.Hint(err,
		"the folder must be writable, on a file system that all machines of the sweep share")
}

// CheckExists returns an error unless the folder exists.
func (f Folder) CheckExists() error {
	if err := checkDir(f.partsPath()); err != nil && schema.Remedy(err) != "" {
		return err
	} else if err != nil {
		return schema.Advise(fmt.Errorf("%s is not a folder of a sweep: %w", f.Path, err), AdviceNoFolder)
	}
	return nil
}

// Plan reads the plan of the folder.
func (f Folder) Plan(ctx context.Context) (*Plan, error) {
	text, err := ReadFile(f.planPath(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Advise(fmt.Errorf("%s is not a folder of a sweep: %w", f.Path, err), AdviceNoPlan, f.Path)
	}
	if err != nil {
		return nil, f.addPlanHint(err)
	}
	p, err := readPlan(ctx, bytes.NewReader(text))
	return p, f.addPlanHint(err)
}

func (f Folder) addPlanHint(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", f.planPath(), err)
	if schema.Remedy(err) != "" {
		return err
	}
	return schema.Hint(err,
		"the file was changed since podtrack wrote it: restore it, or start the sweep in another folder and copy "+
			"%s/ there",
		partsDir)
}

// newToken returns a random name that no other process has.
func newToken() string { return rand.Text()[:16] }

// MakeDir makes a folder within the sweep's folder, writable only by its owner, unless it exists,
// and returns its path. It rejects a symbolic link in its place, which may lead anywhere.
func (f Folder) MakeDir(name string) (path string, err error) {
	path = filepath.Join(f.Path, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return path, f.addHint(err)
	}
	if err := checkDir(path); err != nil {
		return path, err
	}
	return path, f.addHint(tempfile.SyncDir(f.Path))
}

// ReadFile reads a regular file of up to limit bytes. It rejects pipes and devices, which might never
// end.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return text, err
}

// checkDir returns an error unless path is a folder itself.
func checkDir(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		return schema.Hint(fmt.Errorf("%s is not a folder", path),
			"it must not be a link or a file: remove it, or name another folder")
	}
	return err
}
