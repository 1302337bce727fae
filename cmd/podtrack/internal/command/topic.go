package command

import (
	"cmp"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Widths of help topics, in columns.
const (
	usualTopicWidth = 80  // where the output has no width
	maxTopicWidth   = 100 // longer lines are hard to read
)

// topicWidth returns how wide a topic is for an output of the given width, 0 if it has none.
func topicWidth(width int) int {
	return min(cmp.Or(width, usualTopicWidth), maxTopicWidth)
}

// renderTopic returns a topic for a terminal: paragraphs and list items are wrapped to the width,
// and tables are aligned and wrapped. Code stays as it is.
func renderTopic(markdown string, width int) string {
	var out []string
	lines := strings.Split(strings.TrimSuffix(markdown, "\n"), "\n")
	for len(lines) > 0 {
		n := blockLength(lines)
		out = append(out, renderBlock(lines[:n], width)...)
		lines = lines[n:]
	}
	return strings.Join(out, "\n") + "\n"
}

var (
	listItem     = textfmt.Pattern(`^ *(?:-|\d+\.) `)
	numberedItem = textfmt.Pattern(`^ *(\d+)\. `)
	picture      = textfmt.Pattern(`^!\[(.*)\]\(.*\)$`)
)

// blockLength returns the number of lines of the first block: a code block, a table, a heading, a
// list item or a paragraph, or an empty line.
func blockLength(lines []string) int {
	if strings.HasPrefix(lines[0], "```") {
		for i, line := range lines[1:] {
			if line == "```" {
				return i + 2
			}
		}
		return len(lines)
	}
	if lines[0] == "" || strings.HasPrefix(lines[0], "#") {
		return 1
	}
	inTable, numbered := isTableRow(lines[0]), numberedItem().MatchString(lines[0])
	for i, line := range lines[1:] {
		if line == "" || isTableRow(line) != inTable || !inTable && startsBlock(line, numbered) {
			return i + 1
		}
	}
	return len(lines)
}

func isTableRow(line string) bool { return strings.HasPrefix(line, "|") }

// startsBlock reports whether a line ends the paragraph or the list item above it. As in CommonMark, a numbered item
// interrupts anything but a numbered item only if its number is 1: a sentence may have been wrapped before a number.
func startsBlock(line string, numbered bool) bool {
	number := numberedItem().FindStringSubmatch(line)
	if number != nil && number[1] != "1" && !numbered {
		return false
	}
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "#") || listItem().MatchString(line)
}

func renderBlock(block []string, width int) []string {
	switch {
	case isTableRow(block[0]):
		return renderTable(block, width)
	case block[0] == "" || strings.HasPrefix(block[0], "```") || strings.HasPrefix(block[0], "#"):
		return block
	}
	text := strings.Join(block, "\n")
	if m := picture().FindStringSubmatch(text); m != nil {
		return table.Wrap("[picture: "+m[1]+"]", width)
	}
	prefix := listItem().FindString(text)
	text = strings.Join(strings.Fields(text[len(prefix):]), " ")
	return hang(prefix, text, len(prefix), width)
}

// renderTable returns a Markdown table as aligned text.
func renderTable(rows []string, width int) []string {
	var columns []table.Column
	for i, title := range help.Cells(rows[0]) {
		columns = append(columns, table.Value(table.Left(title), func(row *string) any { return help.Cells(*row)[i] }))
	}
	return table.Of(rows[2:], columns...).Lines(width)
}
