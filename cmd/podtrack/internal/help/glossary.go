package help

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Section is a section of the glossary.
type Section struct {
	Title   string  `json:"title"`
	Entries []Entry `json:"entries"`
}

// Entry defines one word, or several separated by commas.
type Entry struct {
	Word    string `json:"word"`
	Meaning string `json:"meaning"`
}

// Glossary returns the sections of the topic glossary as plain text.
func Glossary() []Section {
	text, err := Text("glossary")
	if err != nil {
		panic(err) // the file is part of the program
	}
	var sections []Section
	for _, line := range strings.Split(text, "\n") {
		if title, found := strings.CutPrefix(line, "## "); found {
			sections = append(sections, Section{Title: title})
		}
		cells := Cells(line)
		if len(cells) != 2 || line[0] != '|' || len(sections) == 0 || strings.HasPrefix(cells[0], "---") {
			continue
		}
		e := Entry{plainText(cells[0]), plainText(cells[1])}
		if e.Meaning == "meaning" {
			continue // the titles
		}
		last := &sections[len(sections)-1]
		last.Entries = append(last.Entries, e)
	}
	return sections
}

// Define returns the glossary's entries for a word, in upper or lower case, each with its section if there are several.
func Define(word string) (entries []Entry) {
	var titles []string
	for _, s := range Glossary() {
		for _, e := range s.Entries {
			if slices.ContainsFunc(e.Names(), func(name string) bool { return strings.EqualFold(name, word) }) {
				entries, titles = append(entries, e), append(titles, s.Title)
			}
		}
	}
	if len(entries) > 1 {
		for i, title := range titles {
			entries[i].Word = title + ": " + entries[i].Word
		}
	}
	return entries
}

// Names returns the words that an entry defines, such as "κ (kappa)", "κ" and "kappa".
func (e Entry) Names() (names []string) {
	for name := range strings.SplitSeq(e.Word, ", ") {
		short, other, _ := strings.Cut(strings.TrimSuffix(name, ")"), " (")
		names = append(names, name, short)
		if other != "" {
			names = append(names, other)
		}
	}
	return names
}

var emphasis = textfmt.Pattern(`\*([\p{L}][^*]*)\*`)

// plainText returns a cell without the marks of Markdown.
func plainText(cell string) string {
	return strings.ReplaceAll(emphasis().ReplaceAllString(cell, "$1"), "`", "")
}

// Cells returns the cells of a row of a Markdown table.
func Cells(row string) []string {
	const bar = "\x00" // stands for an escaped bar
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, bar)
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cell), bar, "|")
	}
	return cells
}
