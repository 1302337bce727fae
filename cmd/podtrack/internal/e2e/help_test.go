package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/internal/testenv"
)

// notExecuted are commands whose examples need what is not here, or do not end.
var notExecuted = []string{"serve", "env check", "stage", "stage check", "reproduce", "completion", "plot table1",
	"plot goals"}

// exampleOrder are commands whose examples need what others make or leave, in an order
// that suits; the rest come after the first of these.
var exampleOrder = []string{"run", "resume", "export", "evaluate", "sweep", "backup", "check", "tag", "note", "prune",
	"repair", "fork", "import", "rm", "compact"}

// TestExamples executes the example in each command's help.
func TestExamples(t *testing.T) {
	t.Parallel()
	var all []string
	for name := range tried {
		all = append(all, name)
	}
	slices.Sort(all)
	slices.SortStableFunc(all, func(a, b string) int { return exampleRank(a) - exampleRank(b) })
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "bench.txt"), []byte(benchmarkOutput), 0o600))
	for _, name := range all {
		p := start(t, append(strings.Fields(name), "--help")...)
		p.exit(t, cmdline.ExitDone)
		_, example, found := strings.Cut(p.stdout.String(), "EXAMPLE:\n   podtrack ")
		example, _, _ = strings.Cut(example, "\n")
		if !found || !strings.HasPrefix(example, name) {
			t.Errorf("the help of %s has no example of it: %q", name, example)
			continue
		}
		if slices.Contains(notExecuted, name) {
			continue
		}
		if name == "merge" {
			must(t, os.Rename(filepath.Join(dir, "copy.db"), filepath.Join(dir, "other.db")))
		}
		words := strings.Fields(strings.NewReplacer("'the first one'", "first", "'", "").Replace(example))
		code, stderr := podtrackIn(t, dir, words...)
		if code != cmdline.ExitDone && (code != cmdline.ExitDifference ||
			!slices.Contains([]string{"diff", "plot diff"}, name)) {
			t.Errorf("podtrack %s: exit code %d\n%s", example, code, stderr)
		}
	}
}

func exampleRank(name string) int {
	if i := slices.Index(exampleOrder, name); i > 0 && i >= slices.Index(exampleOrder, "prune") {
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
	must(t, err)
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
	p := start(t, "help")
	p.exit(t, cmdline.ExitDone)
	text := p.stdout.String()
	for _, flag := range []string{"--help", "-h"} {
		p := start(t, flag)
		p.exit(t, cmdline.ExitDone)
		if p.stdout.String() != text {
			t.Errorf("podtrack %s prints something else than podtrack help", flag)
		}
	}
	commands, _, _ := strings.Cut(text, "Help topics")
	for name := range tried {
		if n := strings.Count(commands, "\n  "+name+" "); n != 1 && !strings.Contains(name, " ") {
			t.Errorf("%s is listed %d times", name, n)
		}
	}
	for _, topic := range help.Topics() {
		if !strings.Contains(text, "\n  "+topic.Name+" ") {
			t.Errorf("the topic %s is not listed", topic.Name)
		}
		p := start(t, "help", topic.Name)
		p.exit(t, cmdline.ExitDone)
		if !strings.HasPrefix(p.stdout.String(), "# "+topic.Title+"\n") {
			t.Errorf("help %s prints %.80q", topic.Name, p.stdout.String())
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
		p := start(t, strings.Fields(args)...)
		p.exit(t, cmdline.ExitFailure)
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("podtrack %s: %s", args, p.stderr.String())
		}
	}
}

// TestBashCompletion sources the script and completes with it.
func TestBashCompletion(t *testing.T) {
	testenv.NeedsPrograms(t, "bash")
	p := start(t, "completion", "bash")
	p.exit(t, cmdline.ExitDone)
	for line, want := range map[string]string{
		"podtrack rep":             "reproduce replay repair",
		"podtrack ls --so":         "--sort",
		"podtrack plot wa":         "walk",
		"podtrack plot walk --the": "--theme",
	} {
		words := strings.Fields(line)
		script := p.stdout.String() + "\nCOMP_WORDS=(" + line + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" +
			"_podtrack\necho ${COMPREPLY[@]}\n"
		out, err := exec.Command("bash", "-c", script).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q completes to %q, want %q: %v", words, out, want, err)
		}
	}
}
