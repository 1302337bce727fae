package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Submission is the note of a job array that was submitted, and of the job behind it.
// It is a file of the folder Slurm's scripts are in.
type Submission struct {
	Array   string `json:"array"`   // job ID, "" where only the job behind was submitted
	Gather  string `json:"gather"`  // job ID, "" where it was refused
	Tasks   int    `json:"tasks"`   // shards that the sweep is cut into
	Indices string `json:"indices"` // those that were submitted, as --array takes them
}

const submissionSuffix = ".job.json"

// Note writes the submission into dir, in place of one of the same array.
func (s Submission) Note(dir string) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	name := s.Array
	if name == "" {
		name = s.Gather
	}
	temp := filepath.Join(dir, "."+name+".tmp")
	if err := os.WriteFile(temp, append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, name+submissionSuffix))
}

// Submissions are those noted in dir.
func Submissions(dir string) (all []Submission, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if err != nil || !strings.HasSuffix(e.Name(), submissionSuffix) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		var text []byte
		var s Submission
		if text, err = os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err)
		}
		all = append(all, s)
	}
	return all, err
}

// Jobs are the IDs of all jobs of some submissions.
func Jobs(all []Submission) (ids []string) {
	for _, s := range all {
		for _, id := range []string{s.Array, s.Gather} {
			if id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
