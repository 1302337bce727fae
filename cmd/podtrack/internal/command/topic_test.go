package command

import (
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
