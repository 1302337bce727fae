// Package help holds the guides that podtrack help TOPIC shows: Markdown files in the
// folder topics, embedded in the program and readable in the repository as well.
//
// A topic's file begins with a title ("# Title"), an empty line, and one line of summary.
// A test of the whole program executes its console blocks.
package help

import (
	"embed"
	"errors"
	"fmt"
	"strings"
)

// files holds the Markdown files of all topics.
//
//go:embed topics/*.md
var files embed.FS

// Licenses holds the licenses of all that the program is built of.
//
//go:embed licenses.txt
var Licenses string

// errNoTopic means that there is no topic of that name.
var errNoTopic = errors.New("no such help topic")

// Topic is a guide.
type Topic struct {
	Name    string // as in podtrack help NAME
	Title   string
	Summary string // one line, without a final period
}

// order lists the topics in the order of display: first how to use the program, then
// what to look up.
var order = []string{
	"tour", "resume", "diff", "audit", "sweeps", "studies", "environments", "gymnasium", "stages", "methods",
	"evaluate", "python", "go", "figures", "table1", "store", "performance", "trust", "json", "exit-codes",
	"references", "filters", "glossary",
}

// Topics returns all topics in the order of display.
func Topics() []Topic {
	topics := make([]Topic, len(order))
	for i, name := range order {
		text, err := Text(name)
		if err != nil {
			panic(err) // the file is part of the program
		}
		title, rest, _ := strings.Cut(text, "\n\n")
		summary, _, _ := strings.Cut(rest, "\n")
		topics[i] = Topic{
			Name:    name,
			Title:   strings.TrimPrefix(title, "# "),
			Summary: strings.TrimSuffix(summary, "."),
		}
	}
	return topics
}

// Text returns a topic's Markdown. For unknown names the error is errNoTopic.
func Text(name string) (string, error) {
	text, err := files.ReadFile("topics/" + name + ".md")
	if err != nil {
		return "", fmt.Errorf("%w: %q", errNoTopic, name)
	}
	return string(text), nil
}
