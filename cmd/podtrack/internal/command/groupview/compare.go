// Package groupview prints the measures of groups of runs: summarised, and compared with a baseline.
package groupview

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// Comparing is the command compare, with its flags.
type Comparing struct {
	Selection
	paired, baseline *string
	labels           []string
	overall          bool
}

// Flags returns the flags of compare that decide what is compared.
func (s *Comparing) Flags() []cli.Flag {
	return append([]cli.Flag{
		cmdline.Optional(&s.paired, "paired", "pair the runs that have the same `FIELD` of the spec, such as seed", ""),
		cmdline.Optional(&s.baseline, "baseline", "with --by: compare with the group that has these `VALUES`, such as "+
			"1 or 1,as-written", "the first"),
		cmdline.Flag(&s.labels, "label", "`NAME=TEXT`: call a variant or setting of the study, or a group by its values "+
			"or its letter, by that text; repeatable"),
		cmdline.Flag(&s.overall, "overall", "print how the variants compare over the settings of each part of a study"),
	}, s.Selection.Flags("all of two groups, the last of more")...)
}

// setLabels sets labels, each given as NAME=TEXT, in the fields that belong to the name.
func setLabels(labels []string, fields map[string][]*string) error {
	names := slices.Sorted(maps.Keys(fields))
	for _, label := range labels {
		name, text, _ := strings.Cut(label, "=")
		for _, known := range names { // which may have an equals sign
			if rest, ok := strings.CutPrefix(label, known+"="); ok {
				name, text = known, rest
			}
		}
		if fields[name] == nil {
			return schema.Hint(fmt.Errorf("--label %s: nothing here is named %q", label, name), "%s",
				textfmt.DidYouMean(name, "names", names))
		}
		if strings.TrimSpace(text) == "" || textfmt.EscapeLine(text) != text {
			return schema.Hint(fmt.Errorf("--label %q has no text, or one of several lines", label),
				"--label %s='what tables call it'", name)
		}
		for _, field := range fields[name] {
			*field = text
		}
	}
	return nil
}

// checkStudyName returns an error if the only argument is the name of a study, or of its file.
func checkStudyName(c *cli.Context) error {
	name := strings.TrimSuffix(filepath.Base(c.Args().First()), ".toml")
	if c.NArg() != 1 || report.IsTerm(c.Args().First()) {
		return nil
	}
	return cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		if slices.Contains(tx.StudyNames(), name) {
			return schema.Hint(fmt.Errorf("compare takes groups of runs, and %s is the name of a study", name),
				"podtrack compare study=%s compares its variants", name)
		}
		return nil
	})
}

// choose returns the groups that the arguments name. It returns an error for flags that do not go together.
func (s *Comparing) choose(c *cli.Context) (choice group.Choice, err error) {
	choice = group.Choice{Filters: c.Args().Slice(), Split: s.by != nil, Least: 2}
	name := cmdline.NameOf(c)
	switch {
	case s.baseline != nil && s.by == nil:
		return choice, schema.Hint(errors.New("--baseline without --by"), "the first of the groups is the baseline")
	case s.paired != nil && *s.paired == "":
		return choice, schema.Hint(errors.New("--paired is empty"), "seed is the usual one: --paired seed")
	case s.by == nil && c.NArg() < 2:
		return choice, schema.Hint(fmt.Errorf("compare takes two or more groups of runs, not %d", c.NArg()),
			"put each filter in quotes: %s 'seed=0-9 hide=0' 'seed=0-9 hide=3'; or split one: %s hide=3 --by kappa", name, name)
	case s.by != nil:
		choice.By, err = group.ParseBy(*s.by)
	}
	if s.baseline != nil {
		choice.Baseline = *s.baseline
	}
	return choice, err
}

// Compare implements compare.
func (s *Comparing) Compare(c *cli.Context) (a cmdline.Answer, err error) {
	if _, isStudy := report.StudyOf(c.Args().Slice()); isStudy && c.NArg() == 1 && s.by == nil {
		return s.compareStudy(c)
	}
	if s.by == nil {
		if err := checkStudyName(c); err != nil {
			return a, err
		}
	}
	if s.overall {
		return a, schema.Hint(errors.New("--overall without a study"), "podtrack compare study=NAME --overall")
	}
	measures, err := group.ParseMeasures(s.measure)
	if err != nil {
		return a, err
	}
	choice, err := s.choose(c)
	if err != nil {
		return a, err
	}
	read, err := choice.Read(c.Context, cmdline.OpenStore(c), measures)
	if err == nil {
		err = group.CheckSettings(choice.By, read)
	}
	if err != nil {
		return a, err
	}
	usual := "all"
	if len(read) > 2 && !table.WantsCSV(c) {
		usual = "last"
	}
	shown, err := s.iterations(usual, group.LastShared(read), group.Reach(read))
	if err != nil {
		return a, err
	}
	if err := setLabels(s.labels, group.LabelFields(read)); err != nil {
		return a, err
	}
	field := ""
	if s.paired != nil {
		field = *s.paired
	}
	compared, err := group.Compare(c.Context, read, field, measures)
	if err != nil {
		return a, err
	}
	compared.Notes = contrastNotes(compared)
	return cmdline.Answer{
		JSON: compared, Title: "Groups of runs, compared",
		Text: func(w table.Text) { printContrasts(w, compared, shown) },
		Tables: func() table.List {
			grid := contrastCSV(compared, shown)
			if !table.WantsCSV(c) {
				lines := groupLines(compared.Groups)
				cmdline.PrintLines(c.App.ErrWriter, lines)
				grid = contrastGrid(compared, shown)
				grid.Caption = strings.Join(lines, "; ") + "."
			}
			return besideFields(c, contrastFields(compared), grid, compared.Notes)
		},
	}, nil
}
