package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// TestColumnDocuments compares the columns of runs in the glossary, measures among them, with their definitions.
func TestColumnDocuments(t *testing.T) {
	listed := ""
	for _, of := range []struct {
		section, text string
		measures      []schema.MeasureInfo
	}{
		{"show and run", "of `ls`: these measures of the last iteration", schema.MeasureInfos()},
		{"exploration", "measures of *exploration*, up to the last iteration; computed from the transitions and options " +
			"where they are asked for", explore.MeasureInfos()},
	} {
		var names []string
		rows := ""
		for _, m := range of.measures {
			names = append(names, m.Name)
			title := m.Title
			if title != m.Name {
				title += " (`" + m.Name + "`)"
			}
			rows += fmt.Sprintf("| %s | %s |\n", title, m.Meaning)
		}
		compareTable(t, of.section, rows)
		listed += fmt.Sprintf("| %s | %s |\n", strings.Join(names, ", "), of.text)
	}
	for _, c := range report.Columns()[:len(report.RunFields)] {
		listed += fmt.Sprintf("| %s | %s |\n", c.Name, c.Meaning)
	}
	compareTable(t, "ls", listed)
}

// compareTable compares the first table of a section of the glossary with its rows.
func compareTable(t *testing.T, section, rows string) {
	t.Helper()
	const glossary = "cmd/podtrack/internal/help/topics/glossary.md"
	text, err := os.ReadFile(filepath.Join(e2e.Repository(t), glossary))
	e2e.Must(t, err)
	head := regexp.MustCompile(`(?s)\n## ` + section + `\n.*?\|---\|---\|\n`).FindString(string(text))
	compareList(t, glossary, regexp.QuoteMeta(head)+`(\|.*\n)*`, head+rows)
}
