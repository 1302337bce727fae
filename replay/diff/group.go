package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// A Clustering says what the runs of a group discovered in common. All have the same environment.
type Clustering struct {
	Verdict    string      `json:"verdict"`
	Notes      []string    `json:"notes"`      // on the runs, to read with the verdict
	By         Kind        `json:"by"`         // the kind that the verdict is about
	Iterations []Agreement `json:"iterations"` // by kind and iteration
	Draws      int         `json:"draws"`      // for each p-value
	Seed       int         `json:"draws_seed"` // of the draws
	Level      float64     `json:"level"`      // α of the adjusted p-values
	Linkage    string      `json:"linkage"`    // how distinct purposes and options are found
	Sharing    Sharing     `json:"sharing"`    // of the kind By

	Runs       []Member    `json:"runs"`
	Empty      []Member    `json:"empty"`     // runs without iterations, which are left out
	Threshold  float64     `json:"threshold"` // of |cos_M|
	Chance     ChanceLevel `json:"chance"`    // of random sets of directions of the sizes that occur
	Dimensions int         `json:"dimensions"`
	Directions int         `json:"directions"` // of all iterations of all runs
	Purposes   []Distinct  `json:"purposes"`   // the most common first
	// run × run: mean |cos_M| of matched directions over common iterations
	Similarity [][]*float64 `json:"similarity"`

	Options *DistinctOptions `json:"options"` // nil if they were not compared
}

// DistinctOptions are the options that the runs of a group discovered.
type DistinctOptions struct {
	Threshold  float64      `json:"threshold"` // of the similarity of options
	Count      int          `json:"count"`     // of all iterations of all runs
	Distinct   []Distinct   `json:"distinct"`  // the most common first
	Similarity [][]*float64 `json:"similarity"`
	States     int          `json:"states"` // visited states, which the similarity is weighted by
}

// cover names the way in which distinct purposes and options are found: see greedyCover.
const cover = "greedy cover"

// Member describes a run of a clustering.
type Member struct {
	Run        schema.Digest `json:"run"`
	Label      string        `json:"label"`
	Seed       uint64        `json:"seed"`
	Iterations int           `json:"iterations"`
}

// GroupOptions configure the comparison of a group of runs. The zero value of a field stands for its default.
type GroupOptions struct {
	Limits   Limits
	By       Kind // [Options], which also compares purposes, or [Purposes]; by default options if the runs have any
	Draws    int  // of a p-value; [stats.DefaultDraws]
	Progress func(done, total int64)
}

// groupComparison is a comparison of a group in progress.
type groupComparison struct {
	runs     []*Side
	limits   Limits
	out      *Clustering
	metric   *metric
	purposes map[*Side][][]schema.Purpose // by iteration; only if options are compared
	sigma    map[*Side][][]float64        // likewise
	progress func(share float64)          // see [newGroupProgress]
}

// compare returns the distinct items and the similarity of the runs, and adds the Agreement of each iteration to the
// result.
func (g *groupComparison) compare(ctx context.Context, d *pool) ([]Distinct, [][]*float64, error) {
	if err := checkFound(len(d.found), d.kind, len(g.runs), maxDiscoveries); err != nil {
		return nil, nil, err
	}
	t := agreementTable{pool: d, draws: g.out.Draws, matches: map[[2]int]setMatch{}}
	matches := make([][]setMatch, len(g.runs))
	for i := range matches {
		matches[i] = make([]setMatch, len(g.runs))
	}
	list, err := t.agreements(ctx, matches)
	if err != nil {
		return nil, nil, err
	}
	g.out.Iterations = append(g.out.Iterations, list...)
	distinct, err := d.distinct(ctx, len(g.runs))
	return distinct, runSimilarity(d.sets, matches), err
}

// runSimilarity returns the symmetric matrix of the mean similarities of matched pairs, nil for two runs without a
// common iteration in which both selected something. The similarity of a run to itself is 1.
func runSimilarity(sets [][][]int, matches [][]setMatch) [][]*float64 {
	table := make([][]*float64, len(matches))
	for i := range table {
		table[i] = make([]*float64, len(matches))
		if slices.ContainsFunc(sets[i], func(set []int) bool { return len(set) > 0 }) {
			table[i][i] = new(1.0)
		}
		for j, m := range matches[i][:i] {
			if m.pairs > 0 {
				mean := m.mean()
				table[i][j], table[j][i] = &mean, &mean
			}
		}
	}
	return table
}

// addRuns lists the runs and returns those with iterations. Runs that share iterations are rejected: their discoveries
// are not independent.
func (c *Clustering) addRuns(runs []*Side) (found []*Side, err error) {
	var reports []report.Run
	for _, r := range runs {
		if err := checkComparable(runs[0], r); err != nil {
			return nil, err
		}
		m := Member{Run: r.ID, Label: r.Label(), Seed: r.Spec.Seed, Iterations: len(r.Iterations)}
		if len(r.Iterations) == 0 {
			c.Empty = append(c.Empty, m)
			continue
		}
		c.Runs, found, reports = append(c.Runs, m), append(found, r), append(reports, report.Of(r.Records))
	}
	return found, report.CheckIndependent(reports)
}

// newGroupProgress returns a function that reports that one more share of a phase is done. The phases take about as
// long as each other: of each kind to read the iterations, to compare them, and to find what is distinct; then the
// sharing by chance.
func newGroupProgress(by Kind, show func(done, total int64)) func(share float64) {
	if show == nil {
		return func(float64) {}
	}
	const parts = 1000 // of a phase
	done, total := 0.0, int64(4*parts)
	if by == Options {
		total = 7 * parts
	}
	return func(share float64) {
		done += share * parts
		show(min(int64(done), total), total)
	}
}

// Distinct returns the distinct purposes, or the options if the comparison is by options.
func (c *Clustering) Distinct() []Distinct {
	if c.By == Options && c.Options != nil {
		return c.Options.Distinct
	}
	return c.Purposes
}

// RunSimilarity returns the similarity of each two runs, by purposes or, if the comparison is by options, by options.
func (c *Clustering) RunSimilarity() [][]*float64 {
	if c.By == Options && c.Options != nil {
		return c.Options.Similarity
	}
	return c.Similarity
}

// notesOn returns notes on properties of the runs that weaken the conclusions of a comparison.
func notesOn(runs []*Side) []string {
	notes := []string{}
	if fields := differingFields(runs); len(fields) > 0 {
		notes = append(notes, fmt.Sprintf("the runs differ in %s: they are not repetitions of one experiment",
			strings.Join(fields, ", ")))
	}
	if a, b := sameSeed(runs); a != nil {
		notes = append(notes, fmt.Sprintf("%s and %s have the same seed: they are not independent", a.Label(), b.Label()))
	}
	if slices.ContainsFunc(runs, func(r *Side) bool { return r.Spec.Basis == schema.RowsOfV }) {
		notes = append(notes, "rows of V depend on the signs of the singular vectors, which are a convention")
	}
	return notes
}

// differingFields returns the fields, other than the seed, in which the runs' specs differ.
func differingFields(runs []*Side) (names []string) {
	specs := make([]report.Run, 0, len(runs))
	for _, r := range runs {
		specs = append(specs, report.Of(r.Records))
	}
	for _, t := range report.TallyFields(specs) {
		if len(t.Values) > 1 && t.Field != "seed" {
			names = append(names, t.Field)
		}
	}
	return names
}

// sameSeed returns the first two runs with one seed, nil if there are none.
func sameSeed(runs []*Side) (a, b *Side) {
	first := map[uint64]*Side{}
	for _, r := range runs {
		if had := first[r.Spec.Seed]; had != nil {
			return had, r
		}
		first[r.Spec.Seed] = r
	}
	return nil, nil
}
