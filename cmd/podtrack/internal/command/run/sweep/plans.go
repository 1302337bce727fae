package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// planning is the command sweep plans, with its flags.
type planning struct{ drop bool }

var _ = cmdline.Register(cmdline.Command{
	Name:    "sweep plans",
	Example: "podtrack sweep plans",
	JSON:    []any{[]runview.Plan{}},
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

func (p *planning) list(c *cli.Context) (a cmdline.Answer, err error) {
	refs := c.Args().Slice()
	if p.drop && len(refs) == 0 {
		return a, schema.Hint(errors.New("sweep plans --drop takes tags or plans"), "podtrack sweep plans lists them")
	}
	all, err := runview.LoadPlans(c)
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

func newPlanTable(plans []runview.Plan) *table.Table {
	seeds := table.Left("seeds").Optional(1)
	seeds.Shown = shortSeeds
	g := table.New(table.Left("tag"), table.Left("plan").Digest(7), table.Right("runs"), table.Right("missing"),
		table.Right("iterations"), table.Right("specs"), table.Left("env").Optional(2), seeds,
		table.Left("set").Time().Optional(3))
	for _, p := range plans {
		tag := p.Tag
		if p.Study {
			tag = "study " + tag
		}
		g.Add(tag, p.Plan.String(), fmt.Sprint(p.Runs), fmt.Sprint(p.Missing), fmt.Sprint(p.Iterations),
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

// choosePlans returns the plans that the arguments name; all without any.
func choosePlans(all []runview.Plan, refs []string) (chosen []runview.Plan, err error) {
	if len(refs) == 0 {
		return all, nil
	}
	for _, ref := range refs {
		found, err := findPlans(all, ref)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			had := func(h runview.Plan) bool { return h.Plan == p.Plan && h.Tag == p.Tag }
			if !slices.ContainsFunc(chosen, had) {
				chosen = append(chosen, p)
			}
		}
	}
	return chosen, nil
}

// findPlans returns the plans of a tag, which may be written as in a filter, or, if no plan has that tag, the plan
// whose name begins so, under each of its tags.
func findPlans(all []runview.Plan, ref string) (found []runview.Plan, err error) {
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
func nearTag(all []runview.Plan, ref string) string {
	var tags []string
	for _, p := range all {
		tags = append(tags, p.Tag)
	}
	if near := textfmt.Suggest(ref, tags); near != "" {
		return fmt.Sprintf("did you mean %s?", textfmt.ShellQuote(near))
	}
	return "podtrack sweep plans lists the tags that have plans, and the plans"
}

// dropPlans takes the plans from their tags.
func dropPlans(c *cli.Context, chosen []runview.Plan) error {
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

func printDropped(w table.Text, plans []runview.Plan) {
	for _, p := range plans {
		fmt.Fprintf(w, "dropped plan %.7s of %s: %s\n", p.Plan, textfmt.EscapeLine(p.Tag),
			cmdline.Plural(p.Runs, "run"))
	}
}
