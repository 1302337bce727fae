package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Submission describes a submitted job array and the gathering job after it. It is stored as a
// file beside the scripts' logs.
type Submission struct {
	Array   string `json:"array"`   // job ID, "" where only the job behind was submitted
	Gather  string `json:"gather"`  // job ID, "" where it was refused
	Tasks   int    `json:"tasks"`   // shards that the sweep is split into
	Indices string `json:"indices"` // those that were submitted, as --array takes them
}

const (
	submissionSuffix = ".job.json"
	maxSubmission    = 16 << 20 // bytes; the longest list of indices takes 4 MB
)

// Save writes the submission into dir, replacing one of the same array.
func (s Submission) Save(dir string) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	name := s.Array
	if name == "" {
		name = s.Gather
	}
	return tempfile.WriteAtomic(filepath.Join(dir, name+submissionSuffix), append(text, '\n'), 0o666, true)
}

// LoadSubmissions returns the submissions stored in dir.
func LoadSubmissions(dir string) (all []Submission, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if err != nil || !strings.HasSuffix(e.Name(), submissionSuffix) || strings.HasPrefix(e.Name(), ".") ||
			!e.Type().IsRegular() {
			continue
		}
		var text []byte
		var s Submission
		if text, err = sweep.ReadFile(filepath.Join(dir, e.Name()), maxSubmission); err == nil {
			s, err = readSubmission(text)
		}
		if err != nil {
			return nil, schema.Hint(fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err),
				"remove that file, after scancel of its jobs if they are in the queue")
		}
		all = append(all, s)
	}
	return all, err
}

// readSubmission parses a submission and checks its job IDs and counts, which go into commands of
// Slurm.
func readSubmission(text []byte) (s Submission, err error) {
	if err := wire.DecodeJSON(text, &s); err != nil {
		return s, err
	}
	if s.Array+s.Gather == "" || !isJob(s.Array) || !isJob(s.Gather) || s.Tasks < 1 || s.Tasks > sweep.MaxShards {
		return s, fmt.Errorf("not a valid submission: array %q, gather %q, %d tasks", s.Array, s.Gather, s.Tasks)
	}
	return s, nil
}

// isJob reports whether id can be a job ID, or "".
func isJob(id string) bool { return strings.Trim(id, "0123456789") == "" && len(id) < 20 }

// JobIDs returns the IDs of all jobs of some submissions.
func JobIDs(all []Submission) (ids []string) {
	for _, s := range all {
		for _, id := range []string{s.Array, s.Gather} {
			if id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
