package command

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
)

func TestRenderTopic(t *testing.T) {
	const topic = `# A title

A paragraph that is longer than
a line, not
130. of them.

- an item that is longer than a line
- another

1. first
2. second

![a chart](chart.svg)

| word | meaning |
|---|---|
| |cos| | the mean of its magnitude |
| none | |

` + "```console\n$ podtrack a command that is longer than a line\n```\n"
	const want = `# A title

A paragraph that is longer
than a line, not 130. of
them.

- an item that is longer
  than a line
- another

1. first
2. second

[picture: a chart]

word   meaning
────────────────────────────
|cos|  the mean of its
       magnitude
none

` + "```console\n$ podtrack a command that is longer than a line\n```\n"
	if got := renderTopic(strings.Replace(topic, "|cos|", `\|cos\|`, 1), 28); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestTopicsFit: nothing but code is wider than the output, and no word is lost.
func TestTopicsFit(t *testing.T) {
	for _, topic := range help.Topics() {
		text, err := help.Text(topic.Name)
		if err != nil {
			t.Fatal(err)
		}
		inCode := false
		for _, line := range strings.Split(renderTopic(text, usualTopicWidth), "\n") {
			if strings.HasPrefix(line, "```") {
				inCode = !inCode
			}
			if n := utf8.RuneCountInString(line); n > usualTopicWidth && !inCode {
				t.Errorf("%s: %d columns: %s", topic.Name, n, line)
			}
		}
	}
}

// TestHelpFits: the help of every command has no line that is wider than the terminal, but for commands to type, and
// says the same as without a width.
func TestHelpFits(t *testing.T) {
	var names []string
	for _, c := range NewApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands {
		names = append(names, c.Name)
	}
	for _, name := range names {
		var page bytes.Buffer
		if err := NewApp(&page, &bytes.Buffer{}).Run([]string{"podtrack", name, "--help"}); err != nil || page.Len() == 0 {
			t.Fatalf("%s: %d bytes, %v", name, page.Len(), err)
		}
		for _, width := range []int{72, 80, 100, 1000} {
			fitted := fitHelp(page.String(), width)
			if unspaced(fitted) != unspaced(page.String()) {
				t.Errorf("%s at %d columns has other words:\n%s", name, width, fitted)
			}
			for _, line := range strings.Split(fitted, "\n") {
				command := strings.HasPrefix(strings.TrimSpace(line), "podtrack ") && strings.Contains(page.String(), line+"\n")
				if utf8.RuneCountInString(line) > width && !command {
					t.Errorf("%s at %d columns: %q", name, width, line)
				}
			}
		}
	}
}

// unspaced returns a text without its white space: a word that is wider than its column is broken.
func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }
