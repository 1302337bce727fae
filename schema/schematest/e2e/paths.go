package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Exec returns the value of a flag that names a program.
func Exec(words ...string) string {
	return "exec:" + strings.Join(textfmt.Map(words, textfmt.ShellQuote), " ")
}

// Repository returns a file or folder of the repository, for tests in packages of cmd/podtrack/internal/e2e.
func Repository(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(filepath.Join("../../../../..", path))
	Must(t, err)
	return full
}

// ContentOf returns the content of a file.
func ContentOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	Must(t, err)
	return b
}

// Testdata returns a file or folder that several packages of these tests use.
func Testdata(t *testing.T, name string) string {
	t.Helper()
	return Repository(t, filepath.Join("cmd/podtrack/internal/e2e/testdata", name))
}

// Corridor returns the command of the environment in testdata/env.
func Corridor(t *testing.T) string {
	t.Helper()
	return Exec("python3", Testdata(t, "env/corridor.py"))
}

// The programs of the help topic stages, with changes, as values of flags.

func StagesProgram(t *testing.T, changes ...string) string  { return topicProgram(t, 0, changes) }
func CollectProgram(t *testing.T, changes ...string) string { return topicProgram(t, 1, changes) }
func MeasureProgram(t *testing.T, changes ...string) string { return topicProgram(t, 2, changes) }

// topicProgram writes a program of the help topic into a folder, with changes, and returns it as a flag's value.
func topicProgram(t *testing.T, block int, changes []string) string {
	t.Helper()
	blocks := regexp.MustCompile("(?s)```py\n(.*?)```").FindAllStringSubmatch(Perform(t, "help", "stages"), -1)
	text := strings.NewReplacer(changes...).Replace(blocks[block][1])
	if len(changes) > 0 && text == blocks[block][1] {
		t.Fatalf("the program has no %q", changes[0])
	}
	path := filepath.Join(t.TempDir(), []string{"stages.py", "drift.py", "measure.py"}[block])
	Must(t, os.WriteFile(path, []byte(text), 0o666))
	return Exec("python3", path)
}

// CollectRun returns the arguments of a small run whose steps the program takes.
func CollectRun(store, program string) []string {
	return []string{"run", "--store", store, "--env", program, "--collect", program, "--kappa", "0.5", "--steps", "300",
		"--iterations", "2", "--name", "drift"}
}
