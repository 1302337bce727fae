package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestSubmissions: saved submissions are read again, of each array only the latest.
func TestSubmissions(t *testing.T) {
	dir := t.TempDir()
	if all, err := LoadSubmissions(filepath.Join(dir, "nothing")); err != nil || len(all) > 0 {
		t.Error(all, err)
	}
	for _, s := range []Submission{
		{Array: "7", Tasks: 4, Indices: "0-3"}, {Array: "7", Gather: "8", Tasks: 4, Indices: "0-3"},
		{Gather: "9", Tasks: 4}, {Array: "10", Gather: "11", Tasks: 4, Indices: "1,3"},
	} {
		if err := s.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"notes.txt", ".7.tmp", ".x.job.json"} {
		if err := os.WriteFile(filepath.Join(dir, other), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := LoadSubmissions(dir)
	want := []Submission{{"10", "11", 4, "1,3"}, {"7", "8", 4, "0-3"}, {"", "9", 4, ""}}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("%+v, %v", all, err)
	}
	if jobs := JobIDs(all); !slices.Equal(jobs, []string{"10", "11", "7", "8", "9"}) {
		t.Error(jobs)
	}
	if err := (Submission{Array: "1"}).Save(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a note in no folder")
	}
}

// TestSubmissionLimits: what a limit allows is read, and one more is refused.
func TestSubmissionLimits(t *testing.T) {
	dir := t.TempDir()
	load := func(text string) error {
		if err := os.WriteFile(filepath.Join(dir, "7.job.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := LoadSubmissions(dir)
		return err
	}
	tasks := func(n int) error { return load(fmt.Sprintf(`{"array":"7","tasks":%d}`, n)) }
	digits := func(n int) error { return load(`{"array":"` + strings.Repeat("7", n) + `","tasks":4}`) }
	size := func(n int) error {
		const text = `{"array":"7","tasks":4}`
		return load(text + strings.Repeat(" ", n-len(text)))
	}
	schematest.Limits{
		{"tasks", "1000001 tasks", tasks(sweep.MaxShards), tasks(sweep.MaxShards + 1)},
		{"digits of a job", "not a valid submission", digits(19), digits(20)},
		{"a file", "more than 16777216 bytes", size(maxSubmission), size(maxSubmission + 1)},
	}.Check(t)
}

// TestSubmissionsRefuse: an invalid submission file is reported with its path and a remedy.
func TestSubmissionsRefuse(t *testing.T) {
	for _, text := range []string{
		"", "null", "[]", "{", "{}", `{"array": 7}`, `{"array":"7","tasks":0}`, `{"array":"7","tasks":-1}`,
		`{"array":"7","tasks":1000001}`,
		`{"array":"7,8","tasks":4}`, `{"array":"-j","tasks":4}`, `{"array":"7","gather":"x y","tasks":4}`,
		`{"array":"7","tasks":4} x`,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "7.job.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if all, err := LoadSubmissions(dir); err == nil || !strings.Contains(err.Error(), path) ||
			schema.Remedy(err) == "" {
			t.Errorf("%q reads as %+v, %v", text, all, err)
		}
	}
}

func FuzzSubmission(f *testing.F) {
	for _, text := range []string{`{"array":"7","gather":"8","tasks":4,"indices":"0-3"}`, `{"gather":"9","tasks":1}`,
		"{}", "null", `{"array":7}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readSubmission(text)
		if err != nil {
			return
		}
		dir := t.TempDir()
		if err := s.Save(dir); err != nil {
			t.Fatal(err)
		}
		if all, err := LoadSubmissions(dir); err != nil || len(all) != 1 || all[0] != s {
			t.Errorf("%+v is read as %+v, %v", s, all, err)
		}
	})
}
