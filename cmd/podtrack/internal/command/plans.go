package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// planning is the command sweep plans, with its flags.
type planning struct{ drop bool }

var _ = cmdline.Register(cmdline.Command{
	Name:    "sweep plans",
	Example: "podtrack sweep plans",
	Usage:   "list what sweeps have planned under tags, or drop a plan that was a mistake",
	Args:    "[TAG… | PLAN…]",
	Description: `A sweep with a tag adds its plan to those of the tag: the tag stands for all runs of
its plans, each of them once. PLAN is the beginning of a plan's name, and means the
plan under each of its tags. Runs stay when a plan is dropped, and plans stay when
runs are removed, until they are dropped.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var p planning
		return []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Flag(&p.drop, "drop", "forget these plans; no run is removed")}, cmdline.Answering(p.list)
	},
})

// listedPlan is a plan of a tag as it is listed.
type listedPlan struct {
	Tag string `json:"tag"`
	report.PlanProgress
	Env    string `json:"env"`   // names of the environments
	Seeds  string `json:"seeds"` // ranges
	Folder string `json:"folder"`
}

func (p *planning) list(c *cli.Context) (a cmdline.Answer, err error) {
	refs := c.Args().Slice()
	if p.drop && len(refs) == 0 {
		return a, schema.Hint(errors.New("sweep plans --drop takes tags or plans"), "podtrack sweep plans lists them")
	}
	all, err := loadPlans(c)
	if err != nil {
		return a, err
	}
	chosen, err := choosePlans(all, refs)
	if err != nil {
		return a, err
	}
	a.JSON, a.Tables = chosen, func() table.List { return table.List{newPlanTable(chosen)} }
	if p.drop {
		a.Text, a.Tables = func(w table.Text) { printDropped(w, chosen) }, nil
		err = dropPlans(c, chosen)
	}
	return a, err
}

func newPlanTable(plans []listedPlan) *table.Table {
	seeds := table.Left("seeds").Optional(1)
	seeds.Shown = shortSeeds
	g := table.New(table.Left("tag"), table.Left("plan").Digest(7), table.Right("runs"), table.Right("missing"),
		table.Right("iterations"), table.Right("specs"), table.Left("env").Optional(2), seeds,
		table.Left("set").Time().Optional(3))
	for _, p := range plans {
		g.Add(p.Tag, p.Plan.String(), fmt.Sprint(p.Runs), fmt.Sprint(p.Missing), fmt.Sprint(p.Iterations),
			fmt.Sprint(p.Specs), p.Env, p.Seeds, table.FormatTime(p.Set))
	}
	return g
}

// maxSeedsShown is the length of the text of seeds that fits into a table.
const maxSeedsShown = 40

// shortSeeds shortens seeds for people.
func shortSeeds(seeds string) string {
	if len(seeds) <= maxSeedsShown {
		return seeds
	}
	return seeds[:strings.LastIndexByte(seeds[:maxSeedsShown], ',')+1] + "…"
}

// loadPlans returns the plans of all tags, those set last first.
func loadPlans(c *cli.Context) (all []listedPlan, err error) {
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		tags, _, err := report.SelectPlanned(tx, nil)
		if err != nil || len(tags) == 0 {
			return err
		}
		runs, err := report.Select(tx, nil)
		if err != nil {
			return err
		}
		progress, err := report.ComputeProgress(tx, tags, runs, time.Now())
		for i, p := range progress {
			for n, plan := range p.Plans {
				selected := tags[i].Plans[n].Selected
				all = append(all, listedPlan{Tag: p.Tag, PlanProgress: plan, Env: envNames(selected),
					Seeds: selected.Seeds.String(), Folder: plan.Folder})
			}
		}
		return err
	})
	return all, err
}

// envNames returns the names of the environments of a plan.
func envNames(p *schema.Plan) string {
	var names []string
	for _, spec := range p.Specs {
		if !slices.Contains(names, spec.Env.Name) {
			names = append(names, spec.Env.Name)
		}
	}
	return strings.Join(names, ",")
}

// choosePlans returns the plans that the arguments name; all without any.
func choosePlans(all []listedPlan, refs []string) (chosen []listedPlan, err error) {
	if len(refs) == 0 {
		return all, nil
	}
	for _, ref := range refs {
		found, err := findPlans(all, ref)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			had := func(h listedPlan) bool { return h.Plan == p.Plan && h.Tag == p.Tag }
			if !slices.ContainsFunc(chosen, had) {
				chosen = append(chosen, p)
			}
		}
	}
	return chosen, nil
}

// findPlans returns the plans of a tag, which may be written as in a filter, or, if no plan has that tag, the plan
// whose name begins so, under each of its tags.
func findPlans(all []listedPlan, ref string) (found []listedPlan, err error) {
	tag := strings.TrimPrefix(ref, "tag=") // tags have no =
	for _, p := range all {
		if p.Tag == tag {
			found = append(found, p)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	for _, p := range all {
		if ref == "" || !strings.HasPrefix(p.Plan.String(), strings.ToLower(ref)) {
			continue
		}
		if len(found) > 0 && found[0].Plan != p.Plan {
			return nil, schema.Hint(fmt.Errorf("%q begins the names of several plans", ref), "give more of its digits")
		}
		found = append(found, p)
	}
	if len(found) == 0 {
		err = schema.Hint(fmt.Errorf("no plan %.100q: %w", ref, tracker.ErrMissing), "%s", nearTag(all, ref))
	}
	return found, err
}

// nearTag returns the remedy for a tag or plan that does not exist.
func nearTag(all []listedPlan, ref string) string {
	var tags []string
	for _, p := range all {
		tags = append(tags, p.Tag)
	}
	if near := textform.Suggest(ref, tags); near != "" {
		return fmt.Sprintf("did you mean %s?", textform.ShellQuote(near))
	}
	return "podtrack sweep plans lists the tags that have plans, and the plans"
}

// dropPlans takes the plans from their tags.
func dropPlans(c *cli.Context, chosen []listedPlan) error {
	return cmdline.OpenStore(c).Update(c.Context, func(tx *tracker.Tx) error {
		for _, p := range chosen {
			// another process dropped it meanwhile
			if err := tx.DropPlan(p.Plan, p.Tag); err != nil && !errors.Is(err, tracker.ErrMissing) {
				return err
			}
		}
		return nil
	})
}

func printDropped(w table.Text, plans []listedPlan) {
	for _, p := range plans {
		fmt.Fprintf(w, "dropped plan %.7s of %s: %s\n", p.Plan, textform.EscapeLine(p.Tag),
			cmdline.Plural(p.Runs, "run"))
	}
}

// notePlans prints a note for each tag that concerns selects and that has a plan with missing runs.
func notePlans(c *cli.Context, concerns func(tag string) bool) error {
	all, err := loadPlans(c)
	var notes []string
	for _, p := range all {
		if !concerns(p.Tag) || p.Missing == 0 {
			continue
		}
		tag := textform.ShellQuote(p.Tag)
		note := fmt.Sprintf("tag %s still has a plan, of which runs are missing now: podtrack status tag=%s counts them, "+
			"podtrack sweep plans --drop %s drops it", tag, tag, tag)
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	cmdline.PrintNotes(c.App.ErrWriter, notes)
	return err
}

// unfinished returns the plans that are not complete.
func unfinished(plans []report.Progress) []report.Progress {
	return slices.DeleteFunc(slices.Clone(plans), report.Progress.Done)
}

// printPlans prints how far tags with plans are, of which plans a tag consists, and how the runs are made that none of
// them has begun.
func printPlans(w io.Writer, tags []report.Progress) {
	for _, p := range tags {
		fmt.Fprintln(w, planLine(p))
		for i, plan := range p.Plans {
			if i == maxPlansListed {
				fmt.Fprintf(w, "  and %s: podtrack sweep plans %s\n", cmdline.Plural(len(p.Plans)-i, "more plan"),
					textform.ShellQuote(p.Tag))
				break
			}
			if len(p.Plans) > 1 {
				fmt.Fprintf(w, "  plan %.7s: %s of %s, %d missing\n", plan.Plan, cmdline.Plural(plan.Runs, "run"),
					cmdline.Plural(plan.Iterations, "iteration"), plan.Missing)
			}
		}
		if how := howToMake(p); how != "" {
			fmt.Fprintf(w, "  %s\n  podtrack sweep plans %s lists what is planned; --drop drops it\n", how,
				textform.ShellQuote(p.Tag))
		}
	}
}

// maxPlansListed limits the plans of a tag that are listed below it.
const maxPlansListed = 10

// howToMake returns how the missing runs of a tag are made, "" if none is missing or runs are being made. A plan does
// not have the sweep's flags, but its folder does.
func howToMake(p report.Progress) string {
	if p.Missing == 0 || p.Running > 0 {
		return ""
	}
	var commands []string
	for _, plan := range p.Plans {
		command := "podtrack sweep … --tag " + textform.ShellQuote(p.Tag) + ", with its other flags"
		if plan.Folder != "" {
			command = "podtrack sweep --folder " + textform.ShellQuote(plan.Folder) + ", then the same with --gather"
		}
		if plan.Missing > 0 && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return fmt.Sprintf("the sweep's command, given again, makes the %s: %s", cmdline.Plural(p.Missing, "missing run"),
		strings.Join(commands, "; "))
}

// noteUndecided prints a note if planned runs that do not exist yet are not counted, with the terms of the filter that
// need a run.
func noteUndecided(w io.Writer, s report.Snapshot) {
	if len(s.Undecided) > 0 {
		cmdline.PrintNotes(w, []string{fmt.Sprintf("planned runs that do not exist yet are not counted: %s cannot be "+
			"decided without a run", strings.Join(s.Undecided, " "))})
	}
}

// progressRow is a line of JSON about a tag with plans.
type progressRow struct {
	Type string `json:"type"`
	report.Progress
}

// tellMissing prints the plans of which runs are missing, on stderr. With --json it also writes a
// line for each to stdout.
func tellMissing(c *cli.Context) error {
	plans, err := loadProgress(c)
	plans = slices.DeleteFunc(unfinished(plans), func(p report.Progress) bool { return p.Missing == 0 })
	printPlans(c.App.ErrWriter, plans)
	if err != nil || !cmdline.WantsJSON(c) {
		return err
	}
	var lines cmdline.Lines
	for _, p := range plans {
		lines = append(lines, progressRow{"progress", p})
	}
	return cmdline.PrintJSON(c.App.Writer, lines)
}

// planLine returns how far a tag with plans is.
func planLine(p report.Progress) string {
	line := p.Tag + ": " + p.Text()
	if p.Target > 0 {
		line += fmt.Sprintf("; %d of %d iterations", p.Iterations, p.Target)
	}
	return line
}

// runsLine returns a summary of runs without a plan.
func runsLine(runs []report.Run) string {
	if len(runs) == 0 {
		return "no runs"
	}
	return cmdline.Plural(len(runs), "run") + ": " + report.CountRuns(runs).String()
}

// printProgress prints how far the selected tags with plans are to standard error, after the list of runs: all of those
// that the arguments name, otherwise those that lack runs.
func printProgress(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	progress, err := loadProgress(c)
	if !slices.Contains(report.TermKeys(c.Args().Slice()), "tag") {
		progress = unfinished(progress)
	}
	for _, p := range progress {
		fmt.Fprintln(c.App.ErrWriter, planLine(p))
	}
	return err
}

// loadProgress returns how far the tags with plans are, as far as the arguments select runs of them: see
// [report.SelectPlanned]. It says on stderr which terms leave out planned runs.
func loadProgress(c *cli.Context) ([]report.Progress, error) {
	var s report.Snapshot
	store, planned := cmdline.OpenStore(c), []tracker.PlannedTag(nil)
	err := store.View(c.Context, func(tx *tracker.Tx) (err error) {
		planned, err = tx.ReadPlannedTags()
		return err
	})
	if err != nil || len(planned) == 0 {
		return nil, err
	}
	pending := new(sweep.PendingParts).Runs(c.Context, planned)
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		s, err = report.TakeSnapshot(tx, c.Args().Slice(), time.Now(), pending...)
		return err
	})
	if slices.Contains(report.TermKeys(c.Args().Slice()), "tag") {
		noteUndecided(c.App.ErrWriter, s)
	}
	return s.Progress, err
}
