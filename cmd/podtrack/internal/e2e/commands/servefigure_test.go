package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestServedFigures compares what is served with what the commands write, byte for byte. Files say their command, in
// which a server writes a flag's value behind =.
func TestServedFigures(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	store := filepath.Join(folder, "store.db")
	e2e.Perform(t, "sweep", "--seeds", "0", "--reading", "as-written,as-published", "--hide", "0,3", "--store", store)
	e2e.Perform(t, "run", "--store", store, "--bits", "7", "--seeds", "1-2", "--iterations", "3", "--name", "p{seed}")
	address, _ := startServer(t, store)
	for _, c := range []struct {
		path    string
		command []string
	}{
		{"plot-walk?of=p1&theme=dark&format=svg", []string{"plot", "walk", "p1", "--theme=dark"}},
		{"plot-walk?of=p1:1&of=p2:1&format=png&width=3.25in",
			[]string{"plot", "walk", "p1:1", "p2:1", "--format", "png", "--width=3.25in"}},
		{"plot-coverage?of=bits%3D7&of=seed%3D1-2&no-title=true&format=svg",
			[]string{"plot", "coverage", "bits=7", "seed=1-2", "--no-title"}},
		{"plot-coverage?of=bits%3D7&by=seed&format=svg", []string{"plot", "coverage", "bits=7", "--by=seed"}},
		{"plot-spectrum?of=p1&format=csv", []string{"plot", "spectrum", "p1", "--format", "csv"}},
		{"plot-walk?of=p1&format=pdf", []string{"plot", "walk", "p1", "--format", "pdf"}},
		{"plot-visits?of=p1&format=png", []string{"plot", "visits", "p1", "--format", "png"}},
		{"plot-walk?of=p1:1&format=txt", []string{"plot", "walk", "p1:1", "--format", "txt"}},
		{"plot-purposes?of=p1&format=svg", []string{"plot", "purposes", "p1"}},
		{"plot-option?of=p1:1/1%2B&format=svg", []string{"plot", "option", "p1:1/1+"}},
		{"plot-diff?of=p1&of=p2&format=svg", []string{"plot", "diff", "p1", "p2"}},
		{"plot-diff?of=bits%3D7&group=true&format=svg", []string{"plot", "diff", "--group", "bits=7"}},
	} {
		file := filepath.Join(folder, "figure")
		command := append(c.command, "--store", store, "-o", file, "--force")
		if !slices.Contains(command, "--format") {
			command = append(command, "--format", "svg")
		}
		e2e.Perform(t, command...)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := get(t, address+c.path); !bytes.Equal(got, want) {
			t.Errorf("%s is not what podtrack %s writes", c.path, strings.Join(c.command, " "))
		}
	}
}
