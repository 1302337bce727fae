package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
)

// StagesProgram returns the program of the help topic that selects and learns, with changes, as a flag's value.
func StagesProgram(t *testing.T, changes ...string) string {
	return topicProgram(t, 0, "stages.py", changes)
}

// CollectProgram returns the program of the help topic that collects, with changes, as a flag's value.
func CollectProgram(t *testing.T, changes ...string) string {
	return topicProgram(t, 1, "drift.py", changes)
}

// MeasureProgram returns the program of the help topic that measures, with changes, as a flag's value.
func MeasureProgram(t *testing.T, changes ...string) string {
	return topicProgram(t, 2, "measure.py", changes)
}

// topicProgram writes a program of the help topic into a folder, with changes, and returns it as a flag's value.
func topicProgram(t *testing.T, block int, name string, changes []string) string {
	t.Helper()
	topic, err := help.Text("stages")
	Must(t, err)
	blocks := regexp.MustCompile("(?s)```py\n(.*?)```").FindAllStringSubmatch(topic, -1)
	if len(blocks) <= block {
		t.Fatalf("the topic has %d programs", len(blocks))
	}
	text := strings.NewReplacer(changes...).Replace(blocks[block][1])
	if len(changes) > 0 && text == blocks[block][1] {
		t.Fatalf("the program has no %q", changes[0])
	}
	path := filepath.Join(t.TempDir(), name)
	Must(t, os.WriteFile(path, []byte(text), 0o666))
	return Exec("python3", path)
}

// CollectRun returns the arguments of a small run whose steps the program takes.
func CollectRun(store, program string) []string {
	return []string{"run", "--store", store, "--env", program, "--collect", program, "--kappa", "0.5", "--steps", "300",
		"--iterations", "2", "--name", "drift"}
}
