package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestFieldAdded adds a field to the specs of a copy of this program: a line of the struct and a row of the table. All
// that shows fields then shows it, and nothing else was touched.
func TestFieldAdded(t *testing.T) {
	t.Parallel()
	if !schematest.Long() {
		t.Skip("compiles the program once more: set PODTRACK_LONG_TESTS=1")
	}
	schematest.NeedsPrograms(t, "go", "git")
	dir := t.TempDir()
	perform := func(name string, args ...string) string {
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	perform("git", "clone", "-q", e2e.Repository(t, ""), ".")
	path := filepath.Join(dir, "schema/spec.go")
	const before, row = "\n\t// Stages has", "\toptional(noOptions,"
	const field = "\tPatience float64 `cbor:\"patience,omitempty\" json:\"patience,omitempty\"`\n" + before
	const added = `	optional("0", numberField("patience", "how long to wait",
		func(s *Spec) *float64 { return &s.Patience })),` + "\n"
	changed := strings.NewReplacer(before, field, row, added+row).Replace(string(e2e.ContentOf(t, path)))
	e2e.Must(t, os.WriteFile(path, []byte(changed), 0o666))
	perform("go", "build", "-o", "podtrack", "./cmd/podtrack")
	perform("go", "test", "./cmd/podtrack/internal/e2e/python", "-run", "PythonFields", "-update")
	perform("go", "test", "./cmd/podtrack/internal/e2e/documents", "-run", "ColumnDocuments", "-update-documents")
	podtrack := func(args ...string) string { return perform(filepath.Join(dir, "podtrack"), args...) }
	in := func(args ...string) string { return podtrack(append(args, "--store", "podtrack.db")...) }
	in("run", "--bits", "5", "--steps", "50", "--name", "usual")
	in("run", "--bits", "5", "--steps", "50", "--name", "patient", "--set", "patience=2.5")
	for what, shown := range map[string]string{
		"run --help":  podtrack("run", "--help"),
		"help":        podtrack("help", "patience"),
		"completion":  podtrack("completion", "--line=podtrack run --set pat"),
		"show":        in("show", "patient"),
		"show --json": in("show", "patient", "--json"),
		"diff":        in("diff", "usual", "patient"),
		"ls":          in("ls", "patience=2.5", "--columns", "name,patience"),
		"JSON schema": podtrack("help", "json", "--schema"),
		"Python":      string(e2e.ContentOf(t, filepath.Join(dir, "cmd/podtrack/python/podtrack/fields.py"))),
		"glossary":    string(e2e.ContentOf(t, filepath.Join(dir, "cmd/podtrack/internal/help/topics/glossary.md"))),
	} {
		if !strings.Contains(shown, "patience") {
			t.Errorf("%s does not show it:\n%s", what, shown)
		}
	}
}
