package diff

import (
	"cmp"
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// clusterSides finds what runs discovered in common: in each iteration compared with chance, and as a list of distinct
// purposes and options with the runs that found them.
func clusterSides(ctx context.Context, runs []*Side, options GroupOptions) (Clustering, error) {
	g := Clustering{
		Draws: options.Draws, Seed: stats.PermutationSeed, Level: stats.Significance, Linkage: cover,
		Notes: []string{}, Iterations: []Agreement{}, Runs: []Member{}, Empty: []Member{}, Purposes: []Distinct{},
		Similarity: [][]*float64{},
	}
	if g.Draws == 0 {
		g.Draws = stats.DefaultDraws
	}
	runs, err := g.addRuns(runs)
	if err != nil {
		return g, err
	}
	limits := options.Limits.WithDefaults()
	g.Threshold, g.By = limits.Cosine, options.By
	if len(runs) == 0 {
		g.By = cmp.Or(g.By, Options)
		g.Verdict = verdictOf(&g)
		return g, nil
	}
	if g.By, err = kindOf(runs[0], options.By); err != nil {
		return g, err
	}
	g.Notes = notesOn(runs)
	c := &groupComparison{
		runs: runs, limits: limits, out: &g, purposes: map[*Side][][]schema.Purpose{},
		progress: newGroupProgress(g.By, runs, options.Progress),
	}
	if err := c.comparePurposes(ctx); err != nil {
		return g, err
	}
	if g.By == Options {
		if err := c.compareOptions(ctx); err != nil {
			return g, err
		}
	}
	g.Verdict = verdictOf(&g)
	return g, nil
}

// kindOf returns the kind to compare: the one asked for, or options if the run has any.
func kindOf(r *Side, asked Kind) (Kind, error) {
	if envs.HasActions(r.Env) {
		return cmp.Or(asked, Options), nil
	}
	if asked == Options {
		return asked, schema.Hint(fmt.Errorf("%w: run %s consists of imported rows, without actions", errNoOptions,
			r.Label()), AdvicePurposesAlone)
	}
	return Purposes, nil
}

// comparePurposes compares the directions of all runs.
func (g *groupComparison) comparePurposes(ctx context.Context) (err error) {
	if g.metric, err = groupMetric(ctx, g.runs); err != nil {
		return err
	}
	if err := g.checkMemory(); err != nil {
		return err
	}
	d, err := g.poolDirections()
	if err != nil {
		return err
	}
	g.out.Dimensions, g.out.Directions = g.metric.Rank(), len(d.found)
	g.out.Purposes, g.out.Similarity, err = g.compare(ctx, d)
	if err != nil {
		return err
	}
	g.out.Chance = d.chanceLevel()
	if g.out.By == Purposes {
		g.out.Sharing, err = d.sharing(ctx, g.out.Purposes)
	}
	return err
}

// compareOptions compares the options of all runs.
func (g *groupComparison) compareOptions(ctx context.Context) error {
	alignStates(g.runs...)
	d, err := g.poolOptions()
	if err != nil {
		return err
	}
	o := &DistinctOptions{Threshold: g.limits.Agreement, Count: len(d.found), States: len(d.items.(*optionTraces).visits)}
	o.Distinct, o.Similarity, err = g.compare(ctx, d)
	if g.out.Options = o; err == nil {
		g.out.Sharing, err = d.sharing(ctx, o.Distinct)
	}
	return err
}
