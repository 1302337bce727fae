package diff

import (
	"cmp"
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// ClusterRuns finds out what runs discovered in common: iteration by iteration beside chance, and the distinct
// purposes and options with the runs that found them.
func ClusterRuns(ctx context.Context, runs []*Side, options GroupOptions) (Clustering, error) {
	g := Clustering{
		Draws: options.Draws, Seed: stats.PermutationSeed, Level: stats.Significance, Linkage: Cover,
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
		g.Verdict, g.Dendrogram, g.FoundDendrogram = verdictOf(&g), newDendrogram(nil), foundTogether(nil)
		return g, nil
	}
	if g.By, err = kindOf(runs[0], options.By); err != nil {
		return g, err
	}
	g.Notes = notesOn(runs)
	c := &groupComparison{runs: runs, limits: limits, out: &g, progress: newGroupProgress(g.By, runs, options.Progress)}
	if err := c.comparePurposes(ctx); err != nil {
		return g, err
	}
	if g.By == Options {
		if err := c.compareOptions(ctx); err != nil {
			return g, err
		}
	}
	g.Verdict, g.Dendrogram = verdictOf(&g), newDendrogram(g.RunSimilarity())
	g.FoundDendrogram = foundTogether(g.Distinct())
	return g, nil
}

// kindOf returns the kind to compare by.
func kindOf(r *Side, asked Kind) (Kind, error) {
	if envs.HasActions(r.Env) {
		return cmp.Or(asked, Options), nil
	}
	if asked == Options {
		return asked, schema.Advise(fmt.Errorf("%w: run %s is recorded data, in which nothing acts", ErrNoOptions,
			r.Label()), AdvicePurposesAlone)
	}
	return Purposes, nil
}

// comparePurposes compares the directions of all runs.
func (c *groupComparison) comparePurposes(ctx context.Context) (err error) {
	if c.metric, err = groupMetric(ctx, c.runs); err != nil {
		return err
	}
	d, err := c.directions()
	if err != nil {
		return err
	}
	c.out.Dimensions, c.out.Directions = c.metric.rank(), len(d.found)
	c.out.Purposes, c.out.Similarity, err = c.compare(ctx, d)
	if err != nil {
		return err
	}
	c.out.Chance = d.chanceLevel()
	if c.out.By == Purposes {
		c.out.Sharing, err = d.sharing(ctx, c.out.Purposes)
	}
	return err
}

// compareOptions compares the options of all runs.
func (c *groupComparison) compareOptions(ctx context.Context) error {
	alignStates(c.runs...)
	d, err := c.options()
	if err != nil {
		return err
	}
	o := &DistinctOptions{Threshold: c.limits.Agreement, Count: len(d.found), States: len(d.things.(*optionTraces).visits)}
	o.Distinct, o.Similarity, err = c.compare(ctx, d)
	if c.out.Options = o; err == nil {
		c.out.Sharing, err = d.sharing(ctx, o.Distinct)
	}
	return err
}
