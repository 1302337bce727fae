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
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 4 || len(sections) == 0 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		e := Entry{plainText(cells[1]), plainText(cells[2])}
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
	cell = emphasis().ReplaceAllString(strings.TrimSpace(cell), "$1")
	return strings.NewReplacer("`", "", "\x00", "|").Replace(cell)
}
