package groupview

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// maxListed is the maximum number of runs or values that a text note lists; --json has all.
const maxListed = 5

// fieldsGrid returns a table with a row for each name, of what title says, and a column for each field, in which they
// are not the same. Without fields it has no row.
func fieldsGrid(title string, names []string, fields []group.FieldValues) *table.Table {
	var rows []int
	columns := []table.Column{table.Value(table.Left(title), func(i *int) any { return names[*i] })}
	for n, f := range fields {
		columns = append(columns, table.Value(table.Left(f.Field).Optional(len(fields)-n),
			func(i *int) any { return listValues(f.Values[*i]) }))
	}
	for i := range names {
		if len(fields) > 0 {
			rows = append(rows, i)
		}
	}
	return table.Of(rows, columns...)
}

// besideFields returns the tables of an answer: that of the fields in which groups differ, if it has rows, and that of
// the numbers. CSV is one table, and has the other as notes.
func besideFields(c *cli.Context, fields, numbers *table.Table, notes []string) table.List {
	tables := table.List{numbers}
	switch {
	case len(fields.Rows) == 0:
	case table.WantsCSV(c):
		notes = append(notes, fields.Lines(0)...)
	default:
		tables = table.List{fields, numbers}
	}
	cmdline.PrintNotes(c.App.ErrWriter, notes)
	return tables
}

// printWhatDiffers prints the table of the fields in which runs differ, if it has rows, and the notes, each followed by
// an empty line.
func printWhatDiffers(w table.Text, fields *table.Table, notes []string) {
	if len(fields.Rows) > 0 {
		w.Table(fields)
		w.Blank()
	}
	w.Notes(notes)
	if len(notes) > 0 {
		w.Blank()
	}
}

// sharedNote returns a note on runs that are in more than one group. A study and terms beside it are probably meant as
// one filter.
func sharedNote(members []group.Member, all []group.Group) string {
	advice := "A filter of several terms goes in quotes."
	one := strings.Join(textfmt.Map(all, func(g group.Group) string { return g.Filter }), " ")
	if strings.Count(one, "study=") == 1 {
		advice = fmt.Sprintf("Did you mean one filter? Put it in quotes: %s.", textfmt.ShellQuote(one))
	}
	return fmt.Sprintf("In several groups: %s. %s", listMembers(members), advice)
}

func pairingNotes(baseline, name string, p group.Pairing) []string {
	pairs := textfmt.CountOf(p.Pairs, "pair")
	notes := []string{fmt.Sprintf("%s paired with %s by %s: %s.", name, baseline, p.Field, pairs)}
	for i, alone := range [][]group.Member{p.UnpairedA, p.UnpairedB} {
		if len(alone) > 0 {
			of := []string{baseline, name}[i]
			notes = append(notes, fmt.Sprintf("%s: without a partner: %s.", of, listMembers(alone)))
		}
	}
	return notes
}

func lackNotes(prefix string, lacks []group.MissingRun) []string {
	var notes []string
	for i, l := range lacks {
		if i == maxListed {
			return append(notes, fmt.Sprintf("%s%d more lack iterations; --json lists all.", prefix, len(lacks)-maxListed))
		}
		status := string(l.Status)
		if l.Failure != "" {
			status += ": " + l.Failure
		}
		iterations := fmt.Sprintf("iteration %d", l.From)
		if l.To > l.From {
			iterations = fmt.Sprintf("iterations %d to %d", l.From, l.To)
		}
		notes = append(notes, fmt.Sprintf("%s%s (%s) lacks %s.", prefix, l.Label, status, iterations))
	}
	return notes
}

func asideNotes(prefix string, aside []group.Dependent) []string {
	if len(aside) == 0 {
		return nil
	}
	runs := textfmt.Map(aside, func(d group.Dependent) string { return d.Label + " (with " + d.With.Label + ")" })
	return []string{fmt.Sprintf("%sset aside, since they share iterations: %s.", prefix, listSome(runs))}
}

// censoredNotes returns a note if a measure is censored: a run that has not visited enough states counts with the
// budget.
func censoredNotes(measures []string) []string {
	for _, name := range measures {
		if explore.IsCensored(name) {
			title, _ := report.MeasureTitle(name)
			return []string{fmt.Sprintf("In %s and the like, a run that has not visited so many states by the end of the "+
				"iteration counts with its steps until then, the budget: means are restricted means. (8 of 10 ≥ 500) after a "+
				"mean: 8 of 10 runs have not visited so many states in 500 steps.", title)}
		}
	}
	return nil
}

// listMembers lists the names of the first maxListed runs.
func listMembers(members []group.Member) string {
	return listSome(textfmt.Map(members, func(m group.Member) string { return m.Label }))
}

// listSome lists the first maxListed texts, and counts the others.
func listSome(texts []string) string {
	if more := len(texts) - maxListed; more > 0 {
		texts = append(texts[:maxListed], fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(texts, ", ")
}

// listValues lists the values of a field: all of a few, otherwise the first and the last.
func listValues(values []string) string {
	first, last := values[0], values[len(values)-1]
	switch {
	case len(values) > 1 && consecutive(first, last, len(values)):
		return fmt.Sprintf("%d values: %s-%s", len(values), first, last)
	case len(values) > maxListed:
		return fmt.Sprintf("%d values: %s … %s", len(values), first, last)
	}
	return strings.Join(textfmt.Map(values, func(v string) string { return cmp.Or(v, table.None) }), ", ")
}

// consecutive reports whether n distinct integers from first to last are consecutive.
func consecutive(first, last string, n int) bool {
	low, err1 := strconv.ParseUint(first, 10, 64)
	high, err2 := strconv.ParseUint(last, 10, 64)
	return err1 == nil && err2 == nil && high-low == uint64(n-1)
}
