package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// notExecuted are commands whose examples need what is not here, or do not end.
var notExecuted = []string{"serve", "run check", "reproduce", "completion"}

// exampleOrder are commands whose examples need what others make or leave, in an order
// that suits; the rest come after the first of these.
var exampleOrder = []string{"run", "resume", "export", "evaluate", "sweep", "backup", "check", "label",
	"repair", "fork", "import", "rm", "compact"}

// exampleStudy is the study that examples name.
const exampleStudy = `seeds = "0-1"
iterations = 1
env = "ring"
bits = 3
steps = 20
[[setting]]
name = "ring"
outcome = "covered"
[[variant]]
name = "pod"
[[variant]]
name = "none"
select = "none"
`

// TestExamples executes the example in each command's help.
func TestExamples(t *testing.T) {
	t.Parallel()
	all := commandNames()
	slices.Sort(all)
	slices.SortStableFunc(all, func(a, b string) int { return exampleRank(a) - exampleRank(b) })
	dir := t.TempDir()
	e2e.Must(t, os.WriteFile(filepath.Join(dir, "rooms.toml"), []byte(exampleStudy), 0o600))
	if code, stderr := podtrackIn(t, dir, "sweep", "rooms.toml"); code != cmdline.ExitDone {
		t.Fatalf("the study of the examples: exit code %d\n%s", code, stderr)
	}
	for _, name := range all {
		p := e2e.Start(t, append(strings.Fields(name), "--help")...)
		p.Exit(t, cmdline.ExitDone)
		_, example, found := strings.Cut(p.Printed.String(), "EXAMPLE:\n   podtrack ")
		example, _, _ = strings.Cut(example, "\n")
		if !found || !strings.HasPrefix(example, name) {
			t.Errorf("the help of %s has no example of it: %q", name, example)
			continue
		}
		if slices.Contains(notExecuted, name) {
			continue
		}
		if name == "merge" {
			e2e.Must(t, os.Rename(filepath.Join(dir, "copy.db"), filepath.Join(dir, "other.db")))
		}
		words := strings.Fields(strings.ReplaceAll(example, "'", ""))
		code, stderr := podtrackIn(t, dir, words...)
		if code != cmdline.ExitDone && (code != cmdline.ExitDifference ||
			!slices.Contains([]string{"diff", "plot diff"}, name)) {
			t.Errorf("podtrack %s: exit code %d\n%s", example, code, stderr)
		}
	}
}

func exampleRank(name string) int {
	if i := slices.Index(exampleOrder, name); i > 0 && i >= slices.Index(exampleOrder, "repair") {
		return len(exampleOrder) + 1 + i
	} else if i >= 0 {
		return i
	}
	return len(exampleOrder)
}

// podtrackIn gives a command in a folder.
func podtrackIn(t *testing.T, dir string, args ...string) (code int, stderr string) {
	t.Helper()
	path, err := exec.LookPath("podtrack")
	e2e.Must(t, err)
	c := exec.Command(path, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PODTRACK_STORE=")
	var messages strings.Builder
	c.Stderr = &messages
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), messages.String()
}

// TestHelpListsAll: the help names every command and topic once, within 80 columns.
func TestHelpListsAll(t *testing.T) {
	p := e2e.Start(t, "help")
	p.Exit(t, cmdline.ExitDone)
	text := p.Printed.String()
	for _, flag := range []string{"--help", "-h"} {
		p := e2e.Start(t, flag)
		p.Exit(t, cmdline.ExitDone)
		if p.Printed.String() != text {
			t.Errorf("podtrack %s prints something else than podtrack help", flag)
		}
	}
	commands, _, _ := strings.Cut(text, "Help topics")
	for _, name := range commandNames() {
		if n := strings.Count(commands, "\n  "+name+" "); n != 1 && !strings.Contains(name, " ") {
			t.Errorf("%s is listed %d times", name, n)
		}
	}
	for _, topic := range help.Topics() {
		if !strings.Contains(text, "\n  "+topic.Name+" ") {
			t.Errorf("the topic %s is not listed", topic.Name)
		}
		p := e2e.Start(t, "help", topic.Name)
		p.Exit(t, cmdline.ExitDone)
		if !strings.HasPrefix(p.Printed.String(), "# "+topic.Title+"\n") {
			t.Errorf("help %s prints %.80q", topic.Name, p.Printed.String())
		}
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 {
			t.Errorf("%q is wider than 80 columns", line)
		}
	}
}

// TestDidYouMean: a mistyped name is met with the right one.
func TestDidYouMean(t *testing.T) {
	for args, want := range map[string]string{
		"repaly @1": "did you mean replay?", "help glosary": "did you mean glossary?",
		"ls --srot name": "did you mean --sort?",
	} {
		p := e2e.Start(t, strings.Fields(args)...)
		p.Exit(t, cmdline.ExitFailure)
		if !strings.Contains(p.Said.String(), want) {
			t.Errorf("podtrack %s: %s", args, p.Said.String())
		}
	}
}
