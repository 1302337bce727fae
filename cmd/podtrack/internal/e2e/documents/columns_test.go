package documents

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestColumnDocuments compares the columns of runs and the fields of a spec in the glossary, measures among them, with
// their definitions.
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
	fields, parameters := "", []string(nil)
	for _, f := range runner.SpecFields() {
		if schema.UsageOf(f.Name) == "" && f.Name != "env" && f.Name != "reading" {
			parameters = append(parameters, f.Name)
			continue
		}
		fields += fmt.Sprintf("| %s | %s |\n", f.Name, strings.ReplaceAll(f.Usage, "|", `\|`))
	}
	fields += "| " + schema.EnvVersion + " | the version that an environment in another process declares |\n| " +
		strings.Join(parameters, ", ") +
		" | parameters of the environment; `podtrack env` says what each is |\n" +
		"| numerics | the version of the numerical algorithms, part of every spec; specs with another one are refused |\n"
	compareTable(t, "fields of a spec", fields)
}

// compareTable compares the first table of a section of the glossary with its rows.
func compareTable(t *testing.T, section, rows string) {
	t.Helper()
	const glossary = "cmd/podtrack/internal/help/topics/glossary.md"
	text, err := os.ReadFile(e2e.Repository(t, glossary))
	e2e.Must(t, err)
	head := regexp.MustCompile(`(?s)\n## ` + section + `\n.*?\|---\|---\|\n`).FindString(string(text))
	compareList(t, glossary, regexp.QuoteMeta(head)+`(\|.*\n)*`, head+rows)
}
