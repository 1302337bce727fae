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
	"maps"
	"slices"
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
	"tour", "runs", "sweeps", "diff", "audit", "environments", "stages", "methods",
	"python", "go", "figures", "store", "json", "glossary",
}

// sections has the sections of topics that podtrack help shows by a name of their own.
var sections = map[string]struct{ topic, title string }{
	"resume":      {"runs", "Interrupting and resuming"},
	"references":  {"runs", "Names of runs, iterations and options"},
	"filters":     {"runs", "Filters"},
	"studies":     {"sweeps", "Studies"},
	"performance": {"store", "Performance"},
	"gymnasium":   {"environments", "Gymnasium, MiniGrid, MinAtar and Atari"},
	"evaluate":    {"methods", "What options are worth"},
	"table1":      {"methods", "What was found about Table 1"},
	"trust":       {"audit", "Trust"},
	"exit-codes":  {"json", "Exit codes"},
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

// Names returns the names of all topics, and of the sections that have one.
func Names() []string { return slices.Concat(order, slices.Sorted(maps.Keys(sections))) }

// Text returns the Markdown of a topic, or of a section that has a name. For unknown names the error is errNoTopic.
func Text(name string) (string, error) {
	if s, found := sections[name]; found {
		return sectionText(s.topic, s.title)
	}
	text, err := files.ReadFile("topics/" + name + ".md")
	if err != nil {
		return "", fmt.Errorf("%w: %q", errNoTopic, name)
	}
	return string(text), nil
}

// sectionText returns a section of a topic, up to the next of its level.
func sectionText(topic, title string) (string, error) {
	text, err := Text(topic)
	_, section, found := strings.Cut(text, "\n## "+title+"\n")
	if !found {
		return "", errors.Join(err, fmt.Errorf("%w: %q in %s", errNoTopic, title, topic))
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return "# " + title + "\n" + section, nil
}
