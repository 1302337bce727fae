package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Tiny returns a command about a run that takes a few milliseconds.
func Tiny(args ...string) []string {
	return append(args, "--bits", "4", "--steps", "40", "--iterations", "2")
}

// TinyRun takes a few milliseconds and has options.
var TinyRun = []string{"--bits", "4", "--steps", "40", "--iterations", "2"}

func Seeded(store, seeds string) []string {
	return append([]string{"run", "--store", store, "--seeds", seeds}, TinyRun...)
}

// In puts a folder's paths into arguments.
func In(dir string, args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		args[i] = strings.NewReplacer("STORE", filepath.Join(dir, "store.db"), "DIR", dir).Replace(a)
	}
	return args
}

func FilesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
