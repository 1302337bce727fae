package command

import (
	"strings"
	"testing"
)

// TestShownLimits: a text has its place beside its name from 24 columns on, and a topic has at most 100.
func TestShownLimits(t *testing.T) {
	help := func(width int) string {
		const name = "   --name X  "
		return fitEntry(name+strings.Repeat("word ", 9), len(name)+width)[0]
	}
	if below, at := help(23), help(24); strings.Contains(below, "word") || !strings.Contains(at, "--name X  word") {
		t.Errorf("in 23 columns %s, in 24 %s", below, at)
	}
	if a, b := topicWidth(100), topicWidth(101); a != 100 || b != 100 {
		t.Errorf("columns of a topic: %d in 100, %d in 101", a, b)
	}
}
