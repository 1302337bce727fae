package runview

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Plan is a plan of a tag as it is listed.
type Plan struct {
	Tag   string `json:"tag"`
	Study bool   `json:"study,omitempty"` // the tag is the name of a study
	outlook.PlanProgress
	Env    string `json:"env"`   // names of the environments
	Seeds  string `json:"seeds"` // ranges
	Folder string `json:"folder"`
}

// LoadPlans returns the plans of all tags, those set last first.
func LoadPlans(c *cli.Context) (all []Plan, err error) {
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		tags, _, err := outlook.SelectPlanned(tx, nil)
		if err != nil || len(tags) == 0 {
			return err
		}
		runs, err := report.Select(tx, nil)
		if err != nil {
			return err
		}
		progress, err := outlook.ComputeProgress(tx, tags, runs, time.Now())
		for i, p := range progress {
			for n, plan := range p.Plans {
				selected := tags[i].Plans[n].Selected
				all = append(all, Plan{Tag: p.Tag, Study: p.Study, PlanProgress: plan, Env: envNames(selected),
					Seeds: selected.Seeds.String(), Folder: plan.Folder})
			}
		}
		return err
	})
	return all, err
}

// envNames returns the names of the environments of a plan.
func envNames(p *runset.Plan) string {
	var names []string
	for _, spec := range p.Specs {
		if !slices.Contains(names, spec.Env.Name) {
			names = append(names, spec.Env.Name)
		}
	}
	return strings.Join(names, ",")
}

// NotePlans prints a note for each tag that concerns selects and that has a plan with missing runs.
func NotePlans(c *cli.Context, concerns func(tag string) bool) error {
	all, err := LoadPlans(c)
	var notes []string
	for _, p := range all {
		if p.Study || !concerns(p.Tag) || p.Missing == 0 {
			continue
		}
		tag := textfmt.ShellQuote(p.Tag)
		note := fmt.Sprintf("tag %s still has a plan, which now lacks runs: podtrack status tag=%s counts them, "+
			"podtrack sweep plans --drop %s drops it", tag, tag, tag)
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	cmdline.PrintNotes(c.App.ErrWriter, notes)
	return err
}

// Unfinished returns the plans that are not complete.
func Unfinished(plans []outlook.Progress) []outlook.Progress {
	return slices.DeleteFunc(slices.Clone(plans), outlook.Progress.Done)
}

// PrintPlans prints the progress of tags with plans, the plans of each tag, and how to make the runs that are missing.
func PrintPlans(w io.Writer, tags []outlook.Progress) {
	for _, p := range tags {
		fmt.Fprintln(w, PlanLine(p))
		for i, plan := range p.Plans {
			if i == maxPlansListed {
				fmt.Fprintf(w, "  and %s: podtrack sweep plans %s\n", cmdline.Plural(len(p.Plans)-i, "more plan"),
					textfmt.ShellQuote(p.Tag))
				break
			}
			if len(p.Plans) > 1 {
				fmt.Fprintf(w, "  plan %.7s: %s of %s, %d missing\n", plan.Plan, cmdline.Plural(plan.Runs, "run"),
					cmdline.Plural(plan.Iterations, "iteration"), plan.Missing)
			}
		}
		if how := HowToMake(p); how != "" {
			fmt.Fprintf(w, "  %s\n  podtrack sweep plans %s lists what is planned; --drop drops it\n", how,
				textfmt.ShellQuote(p.Tag))
		}
	}
}

// maxPlansListed limits the plans of a tag that are listed below it.
const maxPlansListed = 10

// HowToMake returns the command that makes the missing runs of a tag, "" if none is missing or some are running. A plan
// does not record the sweep's other flags; a sweep's folder does.
func HowToMake(p outlook.Progress) string {
	if p.Missing == 0 || p.Running > 0 {
		return ""
	}
	var commands []string
	for _, plan := range p.Plans {
		command := "podtrack sweep … --tag " + textfmt.ShellQuote(p.Tag) + ", with its other flags"
		if p.Study {
			command = "podtrack sweep FILE, the file of study " + p.Tag
		}
		if plan.Folder != "" {
			command = "podtrack sweep --folder " + textfmt.ShellQuote(plan.Folder) + ", then the same with --gather"
		}
		if plan.Missing > 0 && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return fmt.Sprintf("rerun the sweep to make the %s: %s", cmdline.Plural(p.Missing, "missing run"),
		strings.Join(commands, "; "))
}

// noteUndecided prints a note if planned runs that do not exist yet are not counted, with the terms of the filter that
// need a run.
func noteUndecided(w io.Writer, s outlook.Snapshot) {
	if len(s.Undecided) > 0 {
		cmdline.PrintNotes(w, []string{fmt.Sprintf("planned runs that do not exist yet are not counted: %s cannot be "+
			"decided without a run", strings.Join(s.Undecided, " "))})
	}
}

// A ProgressRow is a line of JSON about a tag with plans.
type ProgressRow struct {
	Type string `json:"type"`
	outlook.Progress
}

// TellMissing prints the plans that lack runs to stderr. With --json it also writes a
// line for each to stdout.
func TellMissing(c *cli.Context) error {
	plans, err := LoadProgress(c)
	plans = slices.DeleteFunc(Unfinished(plans), func(p outlook.Progress) bool { return p.Missing == 0 })
	PrintPlans(c.App.ErrWriter, plans)
	if err != nil || !cmdline.WantsJSON(c) {
		return err
	}
	var lines cmdline.Lines
	for _, p := range plans {
		lines = append(lines, ProgressRow{"progress", p})
	}
	return cmdline.PrintJSON(c.App.Writer, lines)
}

// PlanLine returns a line with the progress of a tag with plans.
func PlanLine(p outlook.Progress) string {
	line := p.Tag + ": " + p.Text()
	if p.Study {
		line = "study " + line
	}
	if p.Target > 0 {
		line += fmt.Sprintf("; %d of %d iterations", p.Iterations, p.Target)
	}
	return line
}

// RunsLine returns a summary of runs without a plan.
func RunsLine(runs []report.Run) string {
	if len(runs) == 0 {
		return "no runs"
	}
	return cmdline.Plural(len(runs), "run") + ": " + outlook.CountRuns(runs).String()
}

// PrintProgress prints the progress of the selected tags with plans to standard error, after the list of runs. Without
// a term for tags in the filter it prints only those that lack runs.
func PrintProgress(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	progress, err := LoadProgress(c)
	if !slices.Contains(report.TermKeys(c.Args().Slice()), "tag") {
		progress = Unfinished(progress)
	}
	for _, p := range progress {
		fmt.Fprintln(c.App.ErrWriter, PlanLine(p))
	}
	return err
}

// LoadProgress returns the progress of the tags whose planned runs the arguments select: see [outlook.SelectPlanned].
// It prints a note to stderr if terms of the filter leave out planned runs.
func LoadProgress(c *cli.Context) ([]outlook.Progress, error) {
	var s outlook.Snapshot
	store, planned := cmdline.OpenStore(c), []tracker.PlannedTag(nil)
	err := store.View(c.Context, func(tx *tracker.Tx) (err error) {
		planned, err = tx.ReadPlannedTags()
		return err
	})
	if err != nil || len(planned) == 0 {
		return nil, err
	}
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		s, err = outlook.TakeSnapshot(tx, c.Args().Slice(), time.Now())
		return err
	})
	if slices.Contains(report.TermKeys(c.Args().Slice()), "tag") {
		noteUndecided(c.App.ErrWriter, s)
	}
	return s.Progress, err
}
