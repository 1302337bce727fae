package selection

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// A directionSelector decides which directions of one iteration are kept.
type directionSelector struct {
	rule       schema.Rule
	entry      selectionEntry
	spec       schema.Spec
	f          schema.Factors
	Directions []schema.Direction // those with σ > 0, all if the rule keeps small ones

	env     envs.Env
	k       int
	options collect.OptionSet // those left out too
	seen    Seen              // in the iteration
}

// Seen holds the statistics of an iteration that selections may depend on; [collect.TransitionStats] implements it.
type Seen interface {
	Transitions() envs.TransitionCounts
	VisitContrast() []float64 // nil unless visits were counted
}

// selectionEntry is the implementation of a selection.
type selectionEntry struct {
	lead   func(*directionSelector) decision               // decides from the largest σ on; nil to keep all
	reject schema.Reason                                   // of those that lead does not keep
	narrow func(*directionSelector, context.Context) error // rejects some of those kept, nil if none

	// statistic returns the number that is compared with κ for a direction of a D of n rows, and limit
	// returns the σ at which it equals κ; nil for σ itself.
	statistic func(sigma float64, n int64) float64
	limit     func(kappa float64, n int64) float64
}

// A decision returns whether direction i is kept, and the number that decides it.
type decision func(i int) (number float64, keeps bool)

// selections are the implementations of the criteria.
var selections = map[schema.Criterion]selectionEntry{
	schema.BySigma:   {lead: (*directionSelector).aboveThreshold, reject: schema.Noise},
	schema.BySquare:  {(*directionSelector).aboveThreshold, schema.Noise, nil, squareOf, limitOfSquare},
	schema.ByRMS:     {(*directionSelector).aboveThreshold, schema.Noise, nil, meanOf, limitOfMean},
	schema.ByRank:    {lead: (*directionSelector).firstOnes, reject: schema.Rank},
	schema.ByEnergy:  {lead: (*directionSelector).firstShare, reject: schema.Share},
	schema.BySample:  {(*directionSelector).aboveThreshold, schema.Noise, (*directionSelector).sampleKept, nil, nil},
	schema.ByNovelty: {(*directionSelector).aboveThreshold, schema.Noise, (*directionSelector).rejectKnown, nil, nil},
	schema.Below:     {lead: (*directionSelector).atMostThreshold, reject: schema.Large},
	schema.ByAll:     {},
	schema.ByNothing: {lead: (*directionSelector).firstOnes, reject: schema.Rank}, // the first 0
	schema.ByProgram: {lead: (*directionSelector).none, reject: schema.Declined},
}

// lead decides about all directions, before any are drawn or purposes compared.
func (d *directionSelector) lead() {
	if d.entry.lead == nil {
		return
	}
	decide := d.entry.lead(d)
	for i := range d.Directions {
		number, keeps := decide(i)
		if d.Directions[i].Number = number; !keeps {
			d.Directions[i].Reason = d.entry.reject
		}
	}
}

func (s selectionEntry) thresholdStatistic(sigma float64, rows int64) float64 {
	if s.statistic == nil {
		return sigma
	}
	return s.statistic(sigma, rows)
}

// aboveThreshold keeps the directions whose statistic exceeds κ.
func (d *directionSelector) aboveThreshold() decision {
	return func(i int) (float64, bool) {
		number := d.entry.thresholdStatistic(d.Directions[i].Sigma, d.f.Total)
		return number, number > d.spec.Kappa
	}
}

// atMostThreshold keeps the directions whose σ does not exceed κ.
func (d *directionSelector) atMostThreshold() decision {
	return func(i int) (float64, bool) { return d.Directions[i].Sigma, !(d.Directions[i].Sigma > d.spec.Kappa) }
}

// firstOnes keeps the first N directions.
func (d *directionSelector) firstOnes() decision {
	return func(i int) (float64, bool) { return float64(i + 1), i < d.rule.N }
}

// none keeps no direction: the decisions of an external selection are recorded.
func (d *directionSelector) none() decision { return func(int) (float64, bool) { return 0, false } }

// firstShare keeps the fewest directions that have a share of Σσ².
func (d *directionSelector) firstShare() decision {
	total, before := 0.0, 0.0
	for i := range d.Directions {
		total += d.energy(i)
	}
	return func(i int) (float64, bool) {
		share := before / total
		before += d.energy(i)
		return share, !(share >= d.rule.Limit)
	}
}

// energy returns σ² of a direction, in units of the first one's.
func (d *directionSelector) energy(i int) float64 {
	r := d.Directions[i].Sigma / d.Directions[0].Sigma
	return float64(r * r)
}

// sampleKept keeps N of those kept so far, drawn without replacement.
func (d *directionSelector) sampleKept(context.Context) error {
	stream := rng.NewStream(d.spec.Seed, d.k, selectStream)
	var lots []int
	for i, direction := range d.Directions {
		if direction.Reason == schema.Kept {
			lots = append(lots, i)
		}
	}
	if d.rule.N >= len(lots) {
		return nil
	}
	stream.DrawFirst(lots, d.rule.N)
	for _, i := range lots[d.rule.N:] {
		d.Directions[i].Reason = schema.Draw
	}
	return nil
}

// selectStream is the purpose of the random stream that directions are drawn from.
const selectStream = "select"

// rejectKnown rejects directions whose purpose resembles one of the action set, or one
// kept before.
func (d *directionSelector) rejectKnown(ctx context.Context) error {
	image, err := d.newImage(ctx)
	if err != nil {
		return err
	}
	directions := NewDirections(d.spec, d.k, d.f)
	images := make([][]float64, len(d.options.Options))
	for i, o := range d.options.Options {
		images[i] = image(o.Purpose.Vector)
	}
	for j := range d.Directions {
		direction := &d.Directions[j]
		if direction.Reason != schema.Kept {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var own [][]float64
		for _, p := range directions.WithVectors(signedPurposes(directions.f, j, direction.Sign)) {
			own = append(own, image(p.Vector))
		}
		// Where images holds both signs of each purpose, the largest cosine is the largest magnitude. After a
		// fork from one-sided purposes it may not.
		at, cosine := nearestImage(own[0], images)
		if len(own) > 1 {
			if other, larger := nearestImage(own[1], images); larger > cosine {
				at, cosine = other, larger
			}
		}
		direction.Nearest, direction.Number = int32(d.options.First+at), cosine
		if direction.Number > d.rule.Limit {
			direction.Reason = schema.Known
			continue
		}
		images = append(images, own...)
	}
	return nil
}

// newImage returns a function of purposes to coordinates in which cos_M is the ordinary cosine: M is
// that of env's model or, if it has none, of D, or of the iteration's transitions if D has not their
// rows.
func (d *directionSelector) newImage(ctx context.Context) (func([]float64) []float64, error) {
	e, simulated := envs.As[envs.SimulatedEnv](d.env)
	switch {
	case d.spec.StateSet == schema.VisitedStates:
		p, observed := NewProjection(d.env, d.options.Options, d.f), envs.TransitionCounts(nil)
		if !simulated {
			observed = d.seen.Transitions()
		}
		image, err := newRecordedImage(ctx, p.Dims, p.Transitions(d.env, observed))
		return func(e []float64) []float64 { return image(p.Apply(e)) }, err
	case simulated:
		return newRecordedImage(ctx, len(e.Features()), ModelTransitions(e))
	}
	data := linalg.DatasetFromFactors(d.f)
	if d.spec.Method.HasMatrix() {
		data = d.seen.Transitions().Dataset(d.env)
	}
	return newRecordedImage(ctx, data.Dims, DataTransitions(data))
}

// maxFactored is the largest number of features for which recorded cosines come from the factor of M, whatever the
// transitions are: they depend on its root to rounding.
const maxFactored = 2048

// newRecordedImage returns the Image of the similarity over transitions that recorded cosines come from.
func newRecordedImage(ctx context.Context, dims int, transitions Transitions) (func([]float64) []float64, error) {
	newSimilarity := NewSimilarity
	if dims <= maxFactored {
		newSimilarity = newFactoredSimilarity
	}
	s, err := newSimilarity(ctx, dims, transitions)
	if err != nil {
		return nil, err
	}
	return s.Image, nil
}

// EstimateSelectionMemory estimates the memory that [SelectDirections] takes, in bytes, if a rule compares purposes: M
// and its root if they are factored, and the images of all purposes.
func EstimateSelectionMemory(env envs.Env, spec schema.Spec, options []*schema.Option, f schema.Factors) int64 {
	rule, err := spec.Select.ParseRule()
	if err != nil || !rule.By.ComparesOptions() {
		return 0
	}
	dims := f.Features()
	if spec.StateSet == schema.VisitedStates {
		dims = NewProjection(env, options, f).Dims
	}
	purposes := int64(len(options) + 2*f.Directions())
	if dims <= maxFactored {
		return 8 * int64(dims) * (2*int64(dims) + purposes)
	}
	return 8 * int64(dims) * int64(len(env.Actions())) * purposes
}

func squareOf(sigma float64, _ int64) float64 { return min(float64(sigma*sigma), math.MaxFloat64) }

func limitOfSquare(kappa float64, _ int64) float64 { return math.Sqrt(kappa) }

func meanOf(sigma float64, rows int64) float64 { return sigma / math.Sqrt(float64(rows)) }

func limitOfMean(kappa float64, rows int64) float64 { return float64(kappa * math.Sqrt(float64(rows))) }

// tieOfSigns bounds the magnitude below which the number that chooses a sign counts as 0: far above the rounding error
// for purposes that are orthogonal to the visits.
const tieOfSigns = 0x1p-30

// ChooseSigns chooses the sign of each direction for which eᵀc is lower. Ties go to +.
//
// With [schema.PublishedSides] every entry of c is 1, so that the entries of e add up to less than 0: the rule of the
// ROD cycle (Machado, Barreto, Precup & Bowling, "Temporal abstraction in reinforcement learning with the successor
// representation", JMLR 24, 2023). The first direction of a successor representation has entries of one sign, larger
// ones where the agent is more often, in all iterations that D has.
//
// With [schema.OneSided] c is the mean of φ over the iteration's visits less the mean over the distinct visited states,
// so that e leads away from where the agent often was in this iteration; only the difference of two means matters,
// since w is defined up to a constant.
func (d *directionSelector) ChooseSigns(seen Seen) error {
	var contrast []float64 // c
	if d.spec.Sides == schema.PublishedSides {
		contrast = slices.Repeat([]float64{1}, d.f.Features())
	} else if seen != nil {
		contrast = seen.VisitContrast()
	}
	if n := d.f.Features(); len(contrast) < n {
		return fmt.Errorf("%w: visits of %d features choose signs of %d", wire.ErrMalformed, len(contrast), n)
	}
	directions, tie := NewDirections(d.spec, d.k, d.f), float64(tieOfSigns*linalg.Norm(contrast))
	for j := range d.Directions {
		plus, minus := directions.Signed(j, 1), directions.Signed(j, -1)
		lean := 0.0
		for i, x := range plus {
			lean += float64((x - minus[i]) / 2 * contrast[i])
		}
		d.Directions[j].Sign = schema.Plus
		if lean > tie {
			d.Directions[j].Sign = schema.Minus
		}
	}
	return nil
}
