package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/internal/testenv"
)

var updateReadme = flag.Bool("update-readme", false, "write what the README's commands print into it")

const readme = "../../README.md"

// TestReadme runs the commands of the README's console blocks in one folder and
// holds what they print to what the README says.
func TestReadme(t *testing.T) {
	t.Parallel()
	testenv.NeedsPrograms(t, "sh")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for _, literal := range []string{"\ngo run ./cmd/podtrack run ", "\ngo test ./... "} {
		if !bytes.Contains(text, []byte(literal)) {
			t.Errorf("the README does not have the command %q", strings.TrimSpace(literal))
		}
	}
	run := shell(t)
	var out strings.Builder
	inBlock := false
	commands := 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = line == "```console\n"
			out.WriteString(line)
		case inBlock && strings.HasPrefix(line, "$ "):
			commands++
			out.WriteString(line + run(strings.TrimPrefix(line, "$ ")))
		case !inBlock:
			out.WriteString(line)
		}
	}
	if commands < 5 {
		t.Errorf("only %d commands found", commands)
	}
	checkPictures(t, run, string(text))
	if *updateReadme {
		if err := os.WriteFile(readme, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	checkPython(t, run, string(text))
	if got := out.String(); got != string(text) {
		t.Errorf("the README's output is not what its commands print (go test ./cmd/podtrack -run Readme -update-readme mends it):\n%s", difference(string(text), got))
	}
}

// shownPicture is one that the README shows and its commands make, by its name.
var shownPicture = regexp.MustCompile(`\]\(cmd/podtrack/(testdata/([a-z0-9]+\.svg))\)`)

// checkPictures holds the pictures that are shown to those that the commands made.
func checkPictures(t *testing.T, run func(string) string, text string) {
	t.Helper()
	shown := shownPicture.FindAllStringSubmatch(text, -1)
	if len(shown) == 0 {
		t.Error("the README has no picture")
	}
	for _, m := range shown {
		made := run("cat " + m[2])
		if *updateReadme {
			if err := os.WriteFile(m[1], []byte(made), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if there, err := os.ReadFile(m[1]); err != nil || string(there) != made {
			t.Errorf("%s is not what the README's commands draw (-update-readme mends it): %v", m[1], err)
		}
	}
}

// checkPython runs the README's Python on the file that its commands exported.
func checkPython(t *testing.T, run func(string) string, text string) {
	t.Helper()
	_, code, found := strings.Cut(text, "```python\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("the README has no Python")
	}
	if out := run(numpy(t) + " - <<'END'\n" + code + "END"); strings.Count(out, "states visited\n") != 6 {
		t.Errorf("the README's Python prints\n%s", out)
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
var progressLine = regexp.MustCompile(`(?m)^[0-9]+ % done;.*\n`)

// difference is the first line in which two texts differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "README: " + w[i] + "\nnow:    " + g[i]
		}
	}
	return "one is longer than the other"
}
