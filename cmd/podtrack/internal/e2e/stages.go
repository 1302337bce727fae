package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
)

// CollectProgram writes the program of the help topic that collects into a folder, with changes, and returns it as a
// flag's value.
func CollectProgram(t *testing.T, changes ...string) string {
	t.Helper()
	topic, err := help.Text("stages")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```py\n(.*?)```").FindAllStringSubmatch(topic, -1)
	if len(blocks) < 2 {
		t.Fatalf("the topic has %d programs", len(blocks))
	}
	text := strings.NewReplacer(changes...).Replace(blocks[1][1])
	if len(changes) > 0 && text == blocks[1][1] {
		t.Fatalf("the program has no %q", changes[0])
	}
	path := filepath.Join(t.TempDir(), "drift.py")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Exec("python3", path)
}

// CollectRun returns the arguments of a small run whose steps the program takes.
func CollectRun(store, program string) []string {
	return []string{"run", "--store", store, "--env", program, "--collect", program, "--kappa", "0.5", "--steps", "300",
		"--iterations", "2", "--name", "drift"}
}

// StagesProgram writes the program of the help topic into a folder, with changes, and returns it as a flag's value.
func StagesProgram(t *testing.T, changes ...string) string {
	t.Helper()
	topic, err := help.Text("stages")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```py\n(.*?)```").FindStringSubmatch(topic)
	if block == nil {
		t.Fatal("the topic has no program")
	}
	text := strings.NewReplacer(changes...).Replace(block[1])
	if len(changes) > 0 && text == block[1] {
		t.Fatalf("the program has no %q", changes[0])
	}
	path := filepath.Join(t.TempDir(), "stages.py")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Exec("python3", path)
}

// MeasureProgram returns the program of the help topic that measures, with changes, as a flag's value.
func MeasureProgram(t *testing.T, changes ...string) string {
	t.Helper()
	topic, err := help.Text("stages")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(topic, "## Measures of your own")
	block := regexp.MustCompile("(?s)```py\n(.*?)```").FindStringSubmatch(text)
	path := filepath.Join(t.TempDir(), "measure.py")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(changes...).Replace(block[1])), 0o666); err != nil {
		t.Fatal(err)
	}
	return Exec("python3", path)
}
