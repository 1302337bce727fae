package documents

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var updateDocuments = flag.Bool("update-documents", false,
	"write what the commands of README.md and the help topics print into them")

// documents returns README.md and the help topics, by their paths.
func documents(t *testing.T) []string {
	t.Helper()
	root := e2e.Repository(t, "")
	topics, err := filepath.Glob(filepath.Join(root, "cmd/podtrack/internal/help/topics/*.md"))
	if err != nil || len(topics) == 0 {
		t.Fatalf("there are no help topics: %v", err)
	}
	return append([]string{filepath.Join(root, "README.md")}, topics...)
}

// TestDocuments runs the commands of each document's console blocks, in a folder of
// the document's own, and compares what they print with what the document says.
func TestDocuments(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	for _, path := range documents(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			t.Parallel()
			checkDocument(t, path)
		})
	}
}

// TestReadmeBegins checks that README.md has the commands that try podtrack out and test it.
func TestReadmeBegins(t *testing.T) {
	text, err := os.ReadFile(e2e.Repository(t, "README.md"))
	e2e.Must(t, err)
	for _, literal := range []string{"\ngo run ./cmd/podtrack run ", "\ngo test ./... ", "\n$ podtrack "} {
		if !strings.Contains(string(text), literal) {
			t.Errorf("README.md does not have the command %q", strings.TrimSpace(literal))
		}
	}
}

func checkDocument(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	e2e.Must(t, err)
	run := shell(t)
	buildPrograms(t, run, string(text))
	for _, m := range tomlFile.FindAllStringSubmatch(string(text), -1) {
		run("cat > " + m[1] + " <<'END'\n" + m[0][len("\n```toml\n"):len(m[0])-len("```\n")] + "END")
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.txt"))
	e2e.Must(t, err)
	examples, err := filepath.Glob(e2e.Repository(t, "cmd/podtrack/examples/*.toml"))
	e2e.Must(t, err)
	files = append(files, examples...)
	for _, file := range files { // that a document's commands read
		run("cp '" + file + "' .")
	}
	printed := rerun(string(text), run)
	checkPictures(t, run, path, string(text))
	checkFlags(t, run, string(text))
	if *updateDocuments {
		e2e.Must(t, os.WriteFile(path, []byte(printed), 0o666))
		return
	}
	if printed != string(text) {
		t.Errorf("%s is not what its commands print (go test -run Documents -update-documents renews it):\n%s", path,
			difference(string(text), printed))
	}
	if strings.Contains(string(text), "```pycon\n") {
		checkSessions(t, path, run)
	}
	if _, code, found := strings.Cut(string(text), "```python\n"); found {
		checkPython(t, run, code)
	}
}

// tomlFile is a TOML file in a document, which begins with its name.
var tomlFile = regexp.MustCompile("(?s)\n```toml\n# ([a-z]+\\.toml)\\b.*?\n```\n")

// goProgram is a Go program in a document, which begins with its file's name.
var goProgram = regexp.MustCompile("(?s)\n```go\n// ([a-z]+)\\.go: .*?\n```\n")

// buildPrograms builds the Go programs of a document, so that "go run NAME.go" runs them.
func buildPrograms(t *testing.T, run func(string) string, text string) {
	t.Helper()
	programs := goProgram.FindAllStringSubmatch(text, -1)
	if len(programs) == 0 {
		return
	}
	schematest.NeedsPrograms(t, "go")
	folder := t.TempDir()
	wrapper := "#!/bin/sh\nprogram=${2%.go}; shift 2; '" + folder + "'/\"$program\" \"$@\"; exit $?\n"
	e2e.Must(t, os.WriteFile(strings.TrimSpace(run("command -v podtrack | sed 's/podtrack$/go/'")), []byte(wrapper),
		0o777))
	for _, m := range programs {
		source := filepath.Join(folder, m[1]+".go")
		code := strings.TrimSuffix(strings.TrimPrefix(m[0], "\n```go\n"), "```\n")
		e2e.Must(t, os.WriteFile(source, []byte(code), 0o666))
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(folder, m[1]), source)
		build.Dir = e2e.Repository(t, "")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s.go: %v\n%s", m[1], err, out)
		}
	}
}

// rerun returns a document with what the commands of its console blocks print now.
func rerun(text string, run func(string) string) string {
	var out strings.Builder
	inBlock := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = line == "```console\n"
			out.WriteString(line)
		case inBlock && strings.HasPrefix(line, "$ "):
			out.WriteString(line + run(strings.TrimPrefix(line, "$ ")))
		case !inBlock:
			out.WriteString(line)
		}
	}
	return out.String()
}

// shownPicture is a picture beside a document, by its name.
var shownPicture = regexp.MustCompile(`\]\(([a-z0-9]+\.svg)\)`)

// checkPictures compares the pictures beside a document with those that its commands
// made.
func checkPictures(t *testing.T, run func(string) string, path, text string) {
	t.Helper()
	for _, m := range shownPicture.FindAllStringSubmatch(text, -1) {
		picture, made := filepath.Join(filepath.Dir(path), m[1]), run("cat "+m[1])
		if *updateDocuments {
			e2e.Must(t, os.WriteFile(picture, []byte(made), 0o666))
		}
		if there, err := os.ReadFile(picture); err != nil || string(there) != made {
			t.Errorf("%s is not what the commands of %s draw (-update-documents renews it): %v", picture, path, err)
		}
	}
}

// shellCommand is a command of podtrack in a block that is shown and not executed.
var shellCommand = regexp.MustCompile(`(?m)^(?:parallel )?podtrack ([a-z]+(?: check)?) .*$`)

// checkFlags looks up the flags of the commands that are not executed in those
// commands' help.
func checkFlags(t *testing.T, run func(string) string, text string) {
	t.Helper()
	blocks := strings.Split(text, "\n```")
	for i := 1; i < len(blocks); i += 2 {
		if !strings.HasPrefix(blocks[i], "sh\n") {
			continue
		}
		for _, m := range shellCommand.FindAllStringSubmatch(blocks[i], -1) {
			line, _, _ := strings.Cut(m[0], "  #")
			line = regexp.MustCompile(`'[^']*'`).ReplaceAllString(line, "''")
			help := run("podtrack " + m[1] + " --help")
			for _, name := range regexp.MustCompile(` (--[a-z-]+)`).FindAllStringSubmatch(line, -1) {
				if !strings.Contains(help, " "+name[1]+" ") {
					t.Errorf("%q: podtrack %s has no %s", line, m[1], name[1])
				}
			}
		}
	}
}

// checkSessions compares the sessions of Python in a document with what they print now, in the folder of
// the document's commands.
func checkSessions(t *testing.T, path string, run func(string) string) {
	t.Helper()
	out := run("PYTHONPATH='" + e2e.Repository(t, "cmd/podtrack/python") + "' PYTHONDONTWRITEBYTECODE=1 " +
		schematest.Python(t, "numpy") + " '" + e2e.Repository(t, "cmd/podtrack/internal/e2e/documents/testdata/sessions.py") +
		"' '" + path + "'")
	if !strings.HasSuffix(out, "sessions as shown\n") {
		t.Errorf("the sessions of Python in %s:\n%s", path, out)
	}
}

// checkPython runs Python code on the file that the document's commands exported.
func checkPython(t *testing.T, run func(string) string, code string) {
	t.Helper()
	code, _, closed := strings.Cut(code, "```")
	if !closed {
		t.Fatal("the Python block does not end")
	}
	out := run(schematest.Python(t, "numpy") + " - <<'END'\n" + code + "END")
	if strings.Count(out, "states visited\n") != 6 {
		t.Errorf("the Python block prints\n%s", out)
	}
}

// shell returns a function that runs a command line in a folder of its own,
// where podtrack is this program, and returns all that it prints.
func shell(t *testing.T) func(line string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "podtrack")); err != nil {
		t.Fatal(err)
	}
	return func(line string) string {
		c := exec.Command("sh", "-c", line)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PODTRACK_STORE=")
		out, _ := c.CombinedOutput() // some commands are shown to fail
		return progressLine.ReplaceAllString(string(out), "")
	}
}

// progressLine is what long work says on a machine that is busy.
var progressLine = regexp.MustCompile(`(?m)^[0-9]+ % done.*\n`)

// difference returns the first line in which two texts differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "there: " + w[i] + "\nnow:   " + g[i]
		}
	}
	return "one is longer than the other"
}
