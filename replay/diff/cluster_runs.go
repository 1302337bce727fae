package diff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// clusterSides finds what runs discovered in common: in each iteration compared with chance, and as a list of distinct
// purposes and options with the runs that found them.
func clusterSides(ctx context.Context, runs []*Side, options GroupOptions) (Clustering, error) {
	g := Clustering{
		Draws: cmp.Or(options.Draws, stats.DefaultDraws), Seed: stats.PermutationSeed, Level: stats.Significance,
		Linkage: cover, Notes: []string{}, Iterations: []Agreement{}, Runs: []Member{}, Empty: []Member{},
		Purposes: []Distinct{}, Similarity: [][]*float64{},
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
		sigma:    map[*Side][][]float64{},
		progress: newGroupProgress(g.By, options.Progress),
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

func (g *groupComparison) comparePurposes(ctx context.Context) error {
	m, err := metricOf(ctx, g.runs...)
	if err != nil {
		return err
	}
	g.metric = m.metric
	for i, p := range m.projections {
		g.runs[i].projection = p
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

// groupSize limits a group: the comparison takes tables of all pairs of runs, and of all pairs of purposes or options.
type groupSize struct {
	runs  int
	found int // purposes or options
}

// ClusterRuns finds what runs discovered in common, which it sorts by seed. If the recorded measures show that they are
// too many to compare, it returns an error without reading other records.
func ClusterRuns(
	ctx context.Context, store *tracker.Store, selected []report.Run, options GroupOptions,
) (g Clustering, err error) {
	if err := checkGroup(ctx, store, selected, options.By, groupSize{runs: 1 << 12, found: maxDiscoveries}); err != nil {
		return g, err
	}
	runs, err := openAll(ctx, store, selected)
	if err != nil {
		return g, err
	}
	if len(runs) > 0 {
		if by, err := kindOf(runs[0], options.By); err == nil {
			options.By = by
		}
	}
	options.Limits, options.Draws = options.Limits.WithDefaults(), cmp.Or(options.Draws, stats.DefaultDraws)
	return remember(ctx, keyOf(runs, options.Limits, options.By, options.Draws), func() (Clustering, error) {
		return clusterSides(ctx, runs, options)
	})
}

func checkGroup(ctx context.Context, store *tracker.Store, runs []report.Run, by Kind, most groupSize) error {
	if len(runs) > most.runs {
		return schema.Hint(fmt.Errorf("%d runs: more than %d %w", len(runs), most.runs, ErrIncomparable),
			"choose fewer, for example with a term such as seed=0-29")
	}
	purposes, options := 0, 0
	err := store.View(ctx, func(tx *tracker.Tx) error {
		for _, r := range runs {
			if err := ctx.Err(); err != nil {
				return err
			}
			for k := range r.Iterations {
				m, err := report.LoadMeasures(tx, r.ID, k)
				if err != nil {
					break // opening the run will report the error
				}
				purposes, options = purposes+int(m.Purposes), options+int(m.Options)
			}
		}
		return nil
	})
	if err == nil {
		err = checkFound(purposes, Purposes, len(runs), most.found)
	}
	if err == nil && by != Purposes {
		err = checkFound(options, Options, len(runs), most.found)
	}
	return err
}

// checkFound returns an error for more purposes or options than can be compared with each other.
func checkFound(n int, kind Kind, runs, most int) error {
	if n <= most {
		return nil
	}
	return schema.Hint(fmt.Errorf("%d %s of %d runs: more than %d %w", n, kind, runs, most,
		ErrIncomparable), "about %d of these runs can; choose fewer, for example with a term such as seed=0-29",
		int(float64(runs)*float64(most)/float64(n)))
}

// Distinct is a purpose or an option that runs of a group found: a representative, and its members, which are all
// within the threshold of it. No two representatives are within the threshold of each other.
type Distinct struct {
	Name       string    `json:"name"`             // of the representative: RUN:K/J+
	Vector     []float64 `json:"vector,omitempty"` // of a purpose
	Sigma      float64   `json:"sigma"`            // mean over the members
	SigmaLow   float64   `json:"sigma_low"`        // lowest of a member
	SigmaHigh  float64   `json:"sigma_high"`
	End        string    `json:"end,omitempty"` // of the representative, as in [Discovery]
	Members    int       `json:"members"`       // within the threshold
	Directions int       `json:"directions"`    // equal to Members
	Runs       int       `json:"runs"`          // number with a member
	Prevalence float64   `json:"prevalence"`    // share of runs
	Low        float64   `json:"low"`           // of its 95 % interval (Wilson)
	High       float64   `json:"high"`
	First      int       `json:"first"`    // earliest iteration of a member
	Found      []*int    `json:"found"`    // by run: first iteration with a member, nil for none
	Unstable   int       `json:"unstable"` // members with a gap below [NarrowGap]: other data would turn their directions
	Doubles    int       `json:"doubles"`  // others that several runs found and that end in the same state

	Each []Discovery `json:"each,omitempty"` // the members, if several runs have one

	purpose []float64 // of the representative, with the sign of an option
}

// Purpose returns the vector of the representative's purpose, which has an option's sign.
func (d *Distinct) Purpose() []float64 { return d.purpose }

// A Discovery is a direction or an option that a run found.
type Discovery struct {
	Run   int      `json:"run"`  // its place in the list of runs
	Name  string   `json:"name"` // RUN:K/J+
	K     int      `json:"k"`
	Sigma float64  `json:"sigma"`
	Gap   *float64 `json:"gap"`           // to the nearest σ of the iteration, as a share of σ; nil for the only one
	End   string   `json:"end,omitempty"` // the state in which an option ends from most states, where a model tells
}

// foundItem is a direction or an option that a run found in iteration k.
type foundItem struct {
	run, k int
	ref    string
	sigma  float64
	gap    *float64
	end    string
	vector []float64 // of a direction

	purpose []float64 // the vector of a direction, or of an option's purpose
}

// newDistinct returns a representative with its members, in order of run and iteration.
func newDistinct(found []foundItem, representative int, members []int, runs int) Distinct {
	name := found[representative]
	d := Distinct{
		Name: name.ref, Vector: name.vector, purpose: name.purpose, SigmaLow: name.sigma, SigmaHigh: name.sigma,
		End: name.end, Members: len(members), Directions: len(members), First: name.k, Found: make([]*int, runs),
	}
	for _, i := range members {
		it := found[i]
		d.Each = append(d.Each, Discovery{it.run, it.ref, it.k, it.sigma, it.gap, it.end})
		d.Sigma += it.sigma / float64(len(members))
		d.SigmaLow, d.SigmaHigh = min(d.SigmaLow, it.sigma), max(d.SigmaHigh, it.sigma)
		d.First = min(d.First, it.k)
		if it.gap != nil && *it.gap < NarrowGap {
			d.Unstable++
		}
		if d.Found[it.run] == nil {
			d.Found[it.run] = &it.k
			d.Runs++
		}
	}
	if d.Runs < 2 {
		d.Each = nil
	}
	d.Prevalence = float64(d.Runs) / float64(runs)
	d.Low, d.High = stats.Wilson(d.Runs, runs)
	return d
}

// gapOf returns the gap between the j-th singular value, from 1, and the nearest other one, as a share of it, nil if
// that is 0 or the only one.
func gapOf(sigma []float64, j int) *float64 {
	var gap *float64
	for _, other := range []int{j - 2, j} {
		if j > 0 && j <= len(sigma) && sigma[j-1] > 0 && other >= 0 && other < len(sigma) {
			if to := math.Abs(sigma[other]-sigma[j-1]) / sigma[j-1]; gap == nil || to < *gap {
				gap = &to
			}
		}
	}
	return gap
}

// endOf returns the name of the state in which an option ends from most states where it starts, "" if it never does, or
// if runs number the states that they observed each in its own way.
func (s *Side) endOf(b *behaviours.Behaviour) string {
	if s.numbering.Indices != nil {
		return ""
	}
	most, from := 0, make([]int32, len(b.Ends))
	for state, end := range b.Ends {
		if end != envs.Never && b.Starts.Has(state) {
			if from[end]++; from[end] > from[most] || from[end] == from[most] && int(end) < most {
				most = int(end)
			}
		}
	}
	if len(from) == 0 || from[most] == 0 {
		return ""
	}
	return envs.FormatState(s.Env, most)
}

// orderDistinct sorts by the number of runs, most first, and counts doubles.
func orderDistinct(list []Distinct) {
	ends := map[string]int{}
	for _, d := range list {
		ends[d.End] += min(d.Runs-1, 1)
	}
	for i, d := range list {
		if d.Runs > 1 && d.End != "" {
			list[i].Doubles = ends[d.End] - 1
		}
	}
	slices.SortStableFunc(list, func(p, q Distinct) int {
		return cmp.Or(-cmp.Compare(p.Runs, q.Runs), cmp.Compare(p.First, q.First), -cmp.Compare(p.Sigma, q.Sigma))
	})
}

// greedyCover returns representatives of items, given the pairs of items within the threshold of each other and the run
// of each item. Among the items that are not within the threshold of a representative, it repeatedly picks the one
// whose members (the items within the threshold of it) come from most runs; ties go to most members, then to the first.
// Hence
//
//   - no two representatives are within the threshold of each other;
//   - every item is within the threshold of a representative;
//   - no item, representative or not, is found by more runs than the first representative.
//
// Because of the third, "no option is shared by more than 3 runs" holds for all options. Complete linkage has none of
// these properties, and single linkage joins dissimilar items through chains of similar ones. The cover is the greedy
// one of Hochbaum, "Approximation algorithms for the set covering and vertex cover problems", SIAM Journal on Computing
// 11(3), 1982.
func greedyCover(near neighbours, runs []int) (representatives []int) {
	order, reach := make([]int, len(runs)), make([][2]int, len(runs))
	for i := range runs {
		members := near.of(i)
		order[i], reach[i] = i, [2]int{len(slices.Compact(pick(runs, members))), len(members)} // runs ascend
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(-cmp.Compare(reach[i][0], reach[j][0]), -cmp.Compare(reach[i][1], reach[j][1]))
	})
	covered := make([]bool, len(runs))
	for _, i := range order {
		if covered[i] {
			continue
		}
		representatives = append(representatives, i)
		for _, member := range near.of(i) {
			covered[member] = true
		}
	}
	return representatives
}
