package share

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "merge", Group: cmdline.GroupShare, Place: 2,
	Example: "podtrack merge other.db",
	JSON:    []any{mergeReport{}},
	Usage:   "copy the runs of other stores or bundles into this one",
	Args:    "FILE…",
	Description: `Copies the runs that this store lacks, and completes those that have fewer iterations
here. Where an iteration differs, this store keeps its own. Each record, row and link is
verified first. Studies are added to those here. The records of these runs in this
store are verified too: one that is damaged or missing is replaced by that of FILE. Exits 1
if a run differs or is refused, or a record was damaged; the others are merged.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag()}, cmdline.Answering(mergeFiles)
	},
})

func mergeFiles(c *cli.Context) (a cmdline.Answer, err error) {
	if c.NArg() == 0 {
		return a, schema.Hint(errors.New("merge takes files"), "podtrack merge FILE… --store STORE")
	}
	sources, err := mergeSources(c)
	if err == nil {
		err = cmdline.OpenStore(c).Create(c.Context)
	}
	if err != nil {
		return a, cmdline.StoppedMerge(err)
	}
	merged, failure := mergeAll(c, sources)
	merged.notify(c.App.ErrWriter, cmdline.StorePath(c))
	return cmdline.Answer{
		JSON: merged, Text: merged.print,
		Verdict: cmp.Or(cmdline.StoppedMerge(failure), merged.verdict(cmdline.StorePath(c))),
	}, nil
}

// mergeSources opens the stores that the arguments name, before anything is written. It fails if
// one cannot be opened or is the destination.
func mergeSources(c *cli.Context) (sources []*tracker.Store, err error) {
	for _, path := range c.Args().Slice() {
		from := cmdline.StoreAt(c, path)
		err := from.View(c.Context, func(*tracker.Tx) error { return nil })
		switch {
		case errors.Is(err, tracker.ErrNoStore):
			return nil, schema.Hint(err, "give the path of a bundle or of another store")
		case err != nil:
			return nil, err
		case tracker.SameFile(from, cmdline.OpenStore(c)):
			return nil, schema.Hint(fmt.Errorf("merge %s into itself", path),
				"--store or PODTRACK_STORE say which store to merge into; this is %s", cmdline.StorePath(c))
		}
		sources = append(sources, from)
	}
	return sources, nil
}

// mergeAll merges the stores one after another. With an error, it returns the report on the stores merged before.
func mergeAll(c *cli.Context, sources []*tracker.Store) (merged mergeReport, err error) {
	merged.Runs, merged.Refused = []mergedRun{}, []string{}
	for _, from := range sources {
		bar := cmdline.StartBar(c.App.ErrWriter, from.Path())
		copied, err := merge.Run(c.Context, from, cmdline.OpenStore(c), merge.Options{Validate: replay.CheckImport,
			CheckShape: recorded.NewFitFunc, Heal: true, Progress: bar.Count})
		bar.Stop()
		for _, r := range copied.Runs {
			merged.Runs = append(merged.Runs, mergedRun{File: from.Path(), CopiedRun: r})
		}
		merged.Records += copied.Records
		merged.Bytes += copied.Bytes
		merged.Healed += copied.Healed
		if err == nil {
			var studies merge.StudyReport
			studies, err = merge.CopyStudies(c.Context, from, cmdline.OpenStore(c), nil)
			merged.Added += studies.Added
			merged.Refused = append(merged.Refused, studies.Refused...)
		}
		if err != nil {
			return merged, fmt.Errorf("merge %s: %w", from.Path(), err)
		}
	}
	return merged, nil
}

type mergeReport struct {
	Runs    []mergedRun `json:"runs"`
	Records int         `json:"records"`
	Bytes   int64       `json:"bytes"`
	Healed  int         `json:"healed"` // records that were damaged or missing in the destination
	merge.StudyReport
}

type mergedRun struct {
	File string `json:"file"`
	merge.CopiedRun
}

func (m mergeReport) print(w table.Text) {
	if len(m.Runs) > 0 {
		w.Table(m.table())
	}
	fmt.Fprintln(w, m.summary())
}

func (m mergeReport) table() *table.Table {
	return table.Of(m.Runs,
		table.Format(table.Left("run"), func(run schema.Digest) string {
			if run.IsZero() {
				return table.None
			}
			return run.String()[:12]
		}),
		table.Left("name"), table.Right("to").As("iterations"),
		table.Value(table.Left("outcome"), func(r *mergedRun) any { return r.words() }),
		table.Left("file").As("from"))
}

func (m mergedRun) words() string {
	switch m.Outcome {
	case merge.OutcomeCompleted:
		return fmt.Sprintf("completed from %d to %d", m.From, m.To) + m.healedText()
	case merge.OutcomePresent:
		text := "already there"
		if m.Restored > 0 {
			text += fmt.Sprintf(", %s restored that were not kept", textfmt.CountOf(m.Restored, "record"))
		}
		return text + m.healedText()
	case merge.OutcomeDiffers:
		return fmt.Sprintf("differs from iteration %d on", *m.Iteration)
	case merge.OutcomeHeld:
		return "being worked on"
	}
	return string(m.Outcome)
}

// healedText returns how many damaged records were replaced, "" for none.
func (m mergedRun) healedText() string {
	if m.Healed == 0 {
		return ""
	}
	return fmt.Sprintf(", %s healed", textfmt.CountOf(m.Healed, "damaged record"))
}

func (m mergeReport) summary() string {
	var parts []string
	for _, o := range []struct {
		outcome merge.Outcome
		words   string
	}{
		{merge.OutcomeNew, "new"}, {merge.OutcomeCompleted, "completed"}, {merge.OutcomePresent, "already there"},
		{merge.OutcomeDiffers, "different"}, {merge.OutcomeHeld, "being worked on"}, {merge.OutcomeRefused, "refused"},
	} {
		if n := m.count(o.outcome); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.words))
		}
	}
	text := fmt.Sprintf("runs: %s; copied %s of %d bytes", cmp.Or(strings.Join(parts, ", "), "none"),
		textfmt.CountOf(m.Records, "record"), m.Bytes)
	if m.Added > 0 {
		text += fmt.Sprintf("; studies: %d new", m.Added)
	}
	if m.Healed > 0 {
		text += fmt.Sprintf("; %s healed", textfmt.CountOf(m.Healed, "damaged record"))
	}
	return text
}

func (m mergeReport) count(outcome merge.Outcome) int {
	n := 0
	for _, r := range m.Runs {
		if r.Outcome == outcome {
			n++
		}
	}
	return n
}

// notify writes which runs or names were not merged, and why.
func (m mergeReport) notify(stderr io.Writer, store string) {
	var lines []string
	for _, r := range m.Runs {
		switch {
		case r.Reason != "" && r.Run.IsZero():
			lines = append(lines, fmt.Sprintf("a run of %s is not merged: %s", r.File, r.Reason))
		case r.Reason != "":
			lines = append(lines, fmt.Sprintf("run %.12s of %s is not merged: %s", r.Run, r.File, r.Reason))
		case r.NameTaken != "":
			lines = append(lines, fmt.Sprintf("run %.12s comes without its name: another run has the name %q here", r.Run,
				r.NameTaken))
		}
		lines = append(lines, r.droppedLines(store)...)
	}
	for _, reason := range m.Refused {
		lines = append(lines, "a study is not merged: "+reason)
	}
	cmdline.PrintSome(stderr, cmdline.MaxNotices, lines)
}

// droppedLines returns a line for the name and one for the note that the merge did not take over because the run here
// has another, each with the command that sets it.
func (m mergedRun) droppedLines(store string) (lines []string) {
	for _, d := range []struct{ what, text string }{{"name", m.TheirName}, {"note", m.TheirNote}} {
		if d.text == "" {
			continue
		}
		const most = 200 // characters of a note, which can be long
		set := fmt.Sprintf("podtrack show %.12s --store %s prints it whole", m.Run, textfmt.ShellPath(m.File))
		if utf8.RuneCountInString(d.text) <= most {
			set = cmdline.CommandLine([]string{"podtrack", "label", m.Run.String()[:12], "--" + d.what, d.text, "--store",
				store}) + " sets it"
		}
		lines = append(lines, fmt.Sprintf("run %.12s keeps its %s; the %s %s of %s is dropped: %s", m.Run, d.what, d.what,
			textfmt.ShortenEchoes(strconv.Quote(d.text), most), m.File, set))
	}
	return lines
}

func (m mergeReport) verdict(store string) error {
	differ, refused, held := m.count(merge.OutcomeDiffers), m.count(merge.OutcomeRefused), m.count(merge.OutcomeHeld)
	lacking := fmt.Errorf("%w: runs that were not merged: %d of %d", cmdline.ErrDifference, differ+refused+held,
		len(m.Runs))
	switch {
	case differ > 0:
		first := m.Runs[slices.IndexFunc(m.Runs, func(r mergedRun) bool { return r.Outcome == merge.OutcomeDiffers })]
		return schema.Hint(lacking, "podtrack replay %.12s --store %s verifies what is here, --store %s the other", first.Run,
			textfmt.ShellQuote(store), textfmt.ShellQuote(first.File))
	case refused > 0 && !slices.ContainsFunc(m.Runs, func(r mergedRun) bool {
		return r.Outcome == merge.OutcomeRefused && !r.Misfit
	}):
		return schema.Hint(lacking,
			"these records are intact, but belong to other runs than those that list them: leave the runs out, or export "+
				"them again where they were made")
	case refused > 0:
		return schema.Hint(lacking,
			"podtrack repair --store FILE repairs a damaged file; or export it again where it was made")
	case held > 0:
		return schema.Hint(fmt.Errorf("runs that were not merged: %d of %d, %w by processes that work on them here", held,
			len(m.Runs), tracker.ErrLocked),
			"merge again when they are done; podtrack ls shows how far they are")
	case len(m.Refused) > 0:
		return schema.Hint(fmt.Errorf("%w: studies that were not merged: %d", cmdline.ErrDifference, len(m.Refused)),
			"podtrack repair --store FILE repairs a damaged file; "+
				"of two studies with one name, one needs another: study = in its file")
	case m.Healed > 0:
		return schema.Hint(fmt.Errorf("records of %s that were %w, and are replaced now: %d", store, tracker.ErrDamaged,
			m.Healed),
			"%s looks for more", cmdline.CommandLine([]string{"podtrack", "check", "--read-data", "--store", store}))
	}
	return nil
}
