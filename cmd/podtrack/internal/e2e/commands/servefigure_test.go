package commands

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/show"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
)

// TestServedFigures compares what is served with what the commands write, byte for byte.
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
		{"walk?of=p1&theme=dark", []string{"plot", "walk", "p1", "--theme", "dark"}},
		{"walk?of=p1:1&of=p2:1&format=png&width=3.25in",
			[]string{"plot", "walk", "p1:1", "p2:1", "--format", "png", "--width", "3.25in"}},
		{"coverage?of=bits%3D7&of=seed%3D1-2&no-title=true",
			[]string{"plot", "coverage", "bits=7", "seed=1-2", "--no-title"}},
		{"coverage?of=bits%3D7&by=seed", []string{"plot", "coverage", "bits=7", "--by", "seed"}},
		{"spectrum?of=p1&format=csv", []string{"plot", "spectrum", "p1", "--format", "csv"}},
		{"walk?of=p1&format=pdf", []string{"plot", "walk", "p1", "--format", "pdf"}},
		{"visits?of=p1&format=png", []string{"plot", "visits", "p1", "--format", "png"}},
		{"walk?of=p1:1&format=txt", []string{"plot", "walk", "p1:1", "--format", "txt"}},
		{"purposes?of=p1", []string{"plot", "purposes", "p1"}},
		{"option?of=p1:1/1%2B", []string{"plot", "option", "p1:1/1+"}},
		{"diff?of=p1&of=p2", []string{"plot", "diff", "p1", "p2"}},
		{"diff?of=bits%3D7&group=true", []string{"plot", "diff", "--group", "bits=7"}},
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
		if got := get(t, address+"/api/figure/"+c.path); !bytes.Equal(got, want) {
			t.Errorf("%s is not what podtrack %s writes", c.path, strings.Join(c.command, " "))
		}
	}
}

// TestHostileDrawings asks for figures with what is none of a request's business:
// files, flags among the arguments, flags of other figures, runs to be made.
func TestHostileDrawings(t *testing.T) {
	folder := t.TempDir()
	store, file := filepath.Join(folder, "store.db"), filepath.Join(folder, "file.svg")
	e2e.Perform(t, "run", "--store", store, "--bits", "7", "--iterations", "1", "--name", "p")
	before, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	walk := figure.Kind{Name: "walk"}
	for _, q := range []figure.Request{
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"o": file}},
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"store": file}},
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"force": "true"}},
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"runs": "3"}},
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"no-title": "maybe"}},
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"": ""}},
		{Kind: walk, Args: []string{"p"}, Format: "svg", Choices: map[string]string{"width": "1e9in"}},
		{Kind: walk, Args: []string{"p"}},
		{Kind: walk, Args: []string{"-o", file, "p"}, Format: "svg"},
		{Kind: walk, Args: []string{"--store=" + file}, Format: "svg"},
		{Kind: walk, Args: []string{"\x00\xff"}, Format: "svg"},
		{Kind: figure.Kind{Name: "../walk"}, Args: []string{"p"}, Format: "svg"},
	} {
		if picture, err := show.DrawFrom(tracker.New(store, tracker.Options{}))(t.Context(), q); err == nil ||
			schema.Remedy(err) == "" {
			t.Errorf("%v: %.40q, %v", q, picture, err)
		}
	}
	after, err := os.ReadFile(store)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the store was written to, %v", err)
	}
	if _, err := os.Lstat(file); err == nil {
		t.Errorf("%s was written", file)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := show.DrawFrom(tracker.New(store, tracker.Options{}))(stopped,
		figure.Request{Kind: walk, Args: []string{"p"}, Format: "svg"}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("stopped, it says %v", err)
	}
}
