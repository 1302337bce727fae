// Package help holds the guides that podtrack help TOPIC shows: Markdown files in the
// folder topics, embedded in the program and readable in the repository as well.
//
// A topic's file begins with a title ("# Title"), an empty line, and one line that sums
// the topic up. What its console blocks show is executed by a test of the whole program.
package help

import (
	"embed"
	"errors"
	"fmt"
	"strings"
)

//go:embed topics/*.md
var files embed.FS

// ErrNoTopic marks the name of a topic that does not exist.
var ErrNoTopic = errors.New("no such help topic")

// Topic is a guide.
type Topic struct {
	Name    string // as in podtrack help NAME
	Title   string
	Summary string // one line, without a final period
}

// order is the order in which topics are listed: first how to use the program, then
// what to look up.
var order = []string{
	"tour", "resume", "diff", "audit", "sweeps", "environments", "evaluate", "python", "figures", "table1", "store",
	"performance", "trust", "json", "exit-codes", "references", "glossary",
}

// Topics returns all topics in the order in which they are listed.
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

// Text returns a topic's Markdown. It returns [ErrNoTopic] for other names.
func Text(name string) (string, error) {
	text, err := files.ReadFile("topics/" + name + ".md")
	if err != nil {
		return "", fmt.Errorf("%w: %q", ErrNoTopic, name)
	}
	return string(text), nil
}
