package why

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Effects is what an option caused, as far as its run goes.
type Effects struct {
	Option string        `json:"option"` // RUN:K/J±
	Run    schema.Digest `json:"run"`
	Number int           `json:"number"`
	K      int           `json:"k"`

	Uses  []Use `json:"uses"`         // by iteration in which it was available
	First []int `json:"first_states"` // states that the run reached first while it was executing, in that order

	Later       int        `json:"later"`       // options that were found later
	Descendants []Ancestor `json:"descendants"` // later ones that have it as an ancestor, largest influence first
	Purposes    []Affected `json:"purposes"`    // whose D has its steps, those not selected without them first

	// DirectionsFrom is the name and version of the external method that makes the directions, in which case Purposes
	// are unknown; empty for a built-in one.
	DirectionsFrom string `json:"directions_from,omitempty"`
}

// Use is how an option was used in an iteration in which it was available.
type Use struct {
	K         int   `json:"k"`
	Calls     int64 `json:"calls"`
	Steps     int64 `json:"steps"`
	Truncated int64 `json:"truncated"`  // calls that the iteration's end truncated
	NewStates int64 `json:"new_states"` // first visited in the iteration while it was executing
	First     int   `json:"first"`      // of these, the states that the run had never visited before
}

// Affected is a later purpose, with the direction nearest to it after the option's steps are removed from its D.
type Affected struct {
	Purpose string   `json:"purpose"` // RUN:K/J±, of the positive sign
	Number  int      `json:"number"`
	Sigma   float64  `json:"sigma"`
	Steps   int64    `json:"steps"` // of the option in D
	Without Ablation `json:"without"`
}

// TurnedBelow is the |cos_M| below which a purpose is said to turn: the threshold of package diff from which on two
// purposes are the same.
const TurnedBelow = 0.95

// effects is a search for effects in progress.
type effects struct {
	audit
	of    int   // the option's number
	first []int // number of each iteration's first option, and the number of options
	seen  envs.VisitedSet
	steps *stepCounts // of the last added iteration's D

	options []*schema.Option // of the iterations so far
	ways    map[int]ancestorPaths
	out     Effects
}

// FindEffects finds the effects of the option that ref names, iteration by iteration. It calls show with the number of
// iterations done.
func FindEffects(
	ctx context.Context, run *recorded.Records, ref report.Ref, show func(done, total int),
) (*Effects, error) {
	x, err := newEffects(run, ref)
	if err != nil {
		return nil, err
	}
	for k := range run.Iterations {
		show(k, len(run.Iterations))
		if err := x.add(ctx, k); err != nil {
			return nil, err
		}
	}
	x.sort()
	return &x.out, nil
}

func newEffects(run *recorded.Records, ref report.Ref) (*effects, error) {
	if err := run.CheckIteration(ref.K); err != nil {
		return nil, err
	}
	last := len(run.Iterations) - 1
	run, err := run.KnownAfter(last)
	if err != nil {
		return nil, err
	}
	x := &effects{audit: audit{run: run, env: run.Env, k: last}, first: recorded.FirstNumbers(run.Iterations)}
	if !x.hasModel() {
		return nil, schema.Hint(fmt.Errorf("run %s %w: its environment %q has no actions", run.Label(),
			report.ErrNoOption, run.Spec.Env.Name), report.AdviceNoOptions, run.Label())
	}
	if err := checkMethod(run, ref.K); err != nil {
		return nil, err
	}
	x.begin, x.spec = x.first[:last+1], run.SpecAt(last)
	x.purposes = make([][]schema.Purpose, last+1)
	number, err := report.OptionNumber(run, ref)
	if err != nil {
		return nil, err
	}
	x.of, x.ways = number, map[int]ancestorPaths{number: {influence: 1}}
	x.rows, x.seen = newRows(x.env), envs.NewVisitedSet(x.env.States())
	x.rows.byMove = run.Spec.Method.IsOnStates()
	x.out = Effects{
		Option: report.OptionRef(run.Label(), ref.K, ref.J, ref.Sign), Run: run.ID, Number: number, K: ref.K, Uses: []Use{},
		First: []int{}, Descendants: []Ancestor{}, Purposes: []Affected{},
	}
	if from := x.directionsFrom(); from != nil {
		x.out.DirectionsFrom = from.String()
	}
	return x, nil
}

// add adds the option's effects in iteration k.
func (e *effects) add(ctx context.Context, k int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.readPurposes(k); err != nil {
		return err
	}
	err := e.run.View(func(tx *tracker.Tx) (err error) {
		var own *stepCounts
		if own, err = countSteps(e.run.With(tx.View), e.rows, k); err == nil {
			if e.firstOf(k) == k {
				e.steps = newStepCounts()
			}
			e.steps.merge(own)
			err = e.addUse(tx, k)
		}
		return err
	})
	if err != nil {
		return e.run.WrapError(k, err)
	}
	if k <= e.out.K {
		return nil
	}
	e.out.Later += len(e.purposes[k])
	if err := e.addDescendants(ctx, k, e.steps); err != nil {
		return err
	}
	return e.addAffected(ctx, k, e.steps)
}

// addUse adds the option's usage in iteration k, and the states that the run first reached while executing it.
func (e *effects) addUse(tx *tracker.Tx, k int) error {
	stats, err := recorded.LoadTransitionStats(tx, e.env, e.options, e.run.Iterations[k])
	if err != nil {
		return err
	}
	made, err := recorded.LoadOptions(tx, e.env, e.run.Iterations[k])
	if err != nil {
		return err
	}
	e.options = append(e.options, made...)
	before, under := len(e.out.First), false
	visit := func(state int) {
		if e.seen.Add(state) && under {
			e.out.First = append(e.out.First, state)
		}
	}
	_, err = e.run.With(tx.View).VisitSteps(k, func(s recorded.Step) {
		visit(s.State) // a new episode may begin there after the last step
		under = s.Option == e.of
		visit(s.Next)
	})
	if k > e.out.K && e.out.K >= e.run.SpecAt(k).FirstAvailable(k) { // the option is available
		u := stats.OptionUsage()[e.of]
		e.out.Uses = append(e.out.Uses, Use{
			K: k, Calls: u.Calls, Steps: u.Steps, Truncated: u.Truncated, NewStates: u.NewStates,
			First: len(e.out.First) - before,
		})
	}
	return err
}

// addDescendants adds the options of iteration k whose evidence goes through the option.
func (e *effects) addDescendants(ctx context.Context, k int, d *stepCounts) error {
	for i := range e.purposes[k] {
		number := e.begin[k] + i
		shares, err := e.shares(ctx, number, d)
		if err != nil {
			return err
		}
		way := ancestorPaths{}
		for _, source := range slices.Sorted(maps.Keys(shares)) { // a fixed order, on which the last bit of a sum depends
			if via, ok := e.ways[source]; ok {
				way.extend(via, shares[source])
			}
		}
		if way.depth > 0 {
			e.ways[number] = way
			e.out.Descendants = append(e.out.Descendants, e.relative(number, way))
		}
	}
	return nil
}

// addAffected factors iteration k's D again without the option's steps, if it has any.
func (e *effects) addAffected(ctx context.Context, k int, d *stepCounts) error {
	steps := d.by[executing][e.of].total()
	if steps == 0 || e.directionsFrom() != nil {
		return nil
	}
	nearest, err := e.factorWithout(ctx, k, d, e.of, executing, 1)
	if err != nil {
		return fmt.Errorf("factor D of iteration %d without the steps of %s: %w", k, e.out.Option, err)
	}
	for i, p := range e.purposes[k] {
		if i > 0 && p.J == e.purposes[k][i-1].J {
			continue // the other sign
		}
		e.out.Purposes = append(e.out.Purposes, Affected{
			Purpose: optionRef(e.run, k, p), Number: e.begin[k] + i, Sigma: p.Sigma, Steps: steps, Without: nearest(p),
		})
	}
	return nil
}

func (e *effects) sort() {
	slices.SortStableFunc(e.out.Descendants, func(a, b Ancestor) int {
		return -cmp.Compare(a.Influence, b.Influence)
	})
	slices.SortStableFunc(e.out.Purposes, func(a, b Affected) int {
		if a.Without.Selected != b.Without.Selected {
			if b.Without.Selected {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Without.Cosine, b.Without.Cosine)
	})
}

// Lost returns how many later purposes would not be selected without the option's steps, and how many
// others would turn.
func (e *Effects) Lost() (lost, turned int) {
	for _, p := range e.Purposes {
		switch {
		case !p.Without.Selected:
			lost++
		case p.Without.Cosine < TurnedBelow:
			turned++
		}
	}
	return lost, turned
}
