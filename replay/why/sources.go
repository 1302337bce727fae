package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// sources sums up the evidence by the executing option or action, and by the option completed before.
func (a *audit) sources(ctx context.Context) (err error) {
	a.out.Sources, a.out.After = []Source{}, []Source{}
	if !a.hasModel() {
		return nil
	}
	all := a.data.all()
	w := newWeights(a.purpose().Vector, a.rows.vectors, all)
	if a.out.Sources, err = a.weighSources(ctx, w, all, a.data.force, true); err != nil {
		return err
	}
	a.out.After, err = a.weighSources(ctx, w, all, a.data.after, false)
	return err
}

func (a *audit) weighSources(
	ctx context.Context, w weights, all count, by map[int]tally, force bool,
) ([]Source, error) {
	list := []Source{}
	for number, steps := range by {
		s := Source{Source: a.nameOf(number, force), Steps: steps.total(), number: number}
		if number >= 0 {
			s.Number = &number
		}
		s.Share, s.Support = w.of(steps)
		switch {
		case a.own != nil && force:
			s.Share = a.own.force[number]
		case a.own != nil:
			s.Share = a.own.after[number]
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y Source) int {
		return cmp.Or(-cmp.Compare(x.Share, y.Share), -cmp.Compare(x.Steps, y.Steps), cmp.Compare(x.number, y.number))
	})
	for i := range a.countAblations(len(list)) {
		without, err := a.ablate(ctx, all, by[list[i].number].dense(), list[i].number, force)
		if err != nil {
			return nil, fmt.Errorf("factor D without the steps of %s: %w", cmp.Or(list[i].Source, "no option"), err)
		}
		list[i].Without = &without
	}
	return list, nil
}

// ablate factors D again without some of its rows, and finds the direction nearest to the purpose.
func (a *audit) ablate(ctx context.Context, all, less count, source int, force bool) (Ablation, error) {
	d := linalg.Dataset{}
	var err error
	if a.hasMatrix() {
		d, err = a.matrixWithout(ctx, a.k, func(s tracedStep) bool {
			return force && int(s.source) != source || !force && int(s.after) != source
		})
	} else {
		d = a.withoutRows(all, less)
	}
	if err != nil || len(d.Counts) == 0 {
		return Ablation{}, err
	}
	f, err := factorAgain(ctx, pod.FactoringOf(a.env, a.spec), d)
	if err != nil || f.Total == 0 {
		return Ablation{}, err
	}
	if a.spec.Basis == schema.RowsOfV {
		alignSigns(&f, a.factors)
	}
	passing, err := selection.FindPassing(a.spec, f)
	if err != nil {
		return Ablation{}, err
	}
	image, err := a.rewardImage(ctx, a.k, a.data)
	if err != nil {
		return Ablation{}, err
	}
	images := imagesOf(image, selection.NewDirections(a.spec, a.k, f), len(f.Sigma), a.purpose().Sign)
	return nearestOf(images, image(a.purpose().Vector), f.Sigma, passing), nil
}

// rewardImage returns a function that maps the purposes of iteration k, whose D has these steps, to coordinates in
// which cos_M is the ordinary cosine.
func (a *audit) rewardImage(ctx context.Context, k int, d *stepCounts) (func([]float64) []float64, error) {
	env, known := envs.As[envs.SimulatedEnv](a.env)
	switch {
	case a.run.Spec.StateSet == schema.VisitedStates:
		return a.visitedImage(ctx, k, d)
	case !known && a.hasMatrix():
		data := linalg.Dataset{Dims: len(a.env.Features())}
		for row, n := range d.all() {
			if n > 0 {
				data.Rows, data.Counts = append(data.Rows, a.rows.vectors[row]), append(data.Counts, n)
			}
		}
		return imageOf(selection.NewSimilarity(ctx, data.Dims, selection.DataTransitions(data)))
	case a.image != nil:
		return a.image, nil
	}
	image, err := a.newImage(ctx, env)
	a.image = image
	return image, err
}

// newImage returns the function over the model of env, or over the datasets of all iterations if env is nil.
func (a *audit) newImage(ctx context.Context, env envs.SimulatedEnv) (func([]float64) []float64, error) {
	if env != nil {
		if err := envs.BuildModel(ctx, env); err != nil {
			return nil, err
		}
		return imageOf(selection.NewSimilarity(ctx, len(env.Features()), selection.ModelTransitions(env)))
	}
	data, err := a.run.Datasets(a.spec.Method != "")
	if err != nil {
		return nil, err
	}
	return imageOf(selection.NewSimilarity(ctx, len(a.env.Features()), selection.DataTransitions(data...)))
}

// imageOf returns the Image of a similarity, or the error.
func imageOf(s *selection.Similarity, err error) (func([]float64) []float64, error) {
	if err != nil {
		return nil, err
	}
	return s.Image, nil
}

// visitedImage returns the function for purposes that are nonzero only in states for which iteration k's D has a
// column.
func (a *audit) visitedImage(ctx context.Context, k int, d *stepCounts) (func([]float64) []float64, error) {
	if image := a.imagesByK[k]; image != nil {
		return image, nil
	}
	f, _, err := a.run.Selection(k)
	if err != nil {
		return nil, err
	}
	column := func(s int) int {
		if at, found := slices.BinarySearch(f.Columns, int32(s)); found {
			return at
		}
		return -1
	}
	transitions := selection.StateTransitions(func(add func(from, to int, n int64)) {
		if env, ok := envs.As[envs.SimulatedEnv](a.env); ok {
			selection.VisitModelEdges(env, func(s, next int) { add(column(s), column(next), 1) })
			return
		}
		for row, n := range d.all() {
			if move := a.rows.vectors[row]; n > 0 && len(move) == 2 { // in either direction: δδᵀ is the same
				add(column(int(move[0].Feature)), column(int(move[1].Feature)), n)
			}
		}
	})
	similarity, err := selection.NewSimilarity(ctx, f.Dims, transitions)
	if err != nil {
		return nil, err
	}
	image := func(e []float64) []float64 {
		v := make([]float64, f.Dims)
		for i, s := range f.Columns {
			if int(s) < len(e) {
				v[i] = e[s]
			}
		}
		return similarity.Image(v)
	}
	if a.imagesByK == nil {
		a.imagesByK = map[int]func([]float64) []float64{}
	}
	a.imagesByK[k] = image
	return image, nil
}

// imagesOf returns the images of the purposes of the first n directions with one sign.
func imagesOf(image func([]float64) []float64, directions selection.Directions, n, sign int) [][]float64 {
	images := make([][]float64, n)
	for j := range images {
		images[j] = image(directions.Signed(j, sign))
	}
	return images
}

// withoutRows returns D without some of its rows, in the order of D's.
func (a *audit) withoutRows(all, less count) linalg.Dataset {
	d := linalg.Dataset{Dims: a.factors.Dims}
	for i := range a.factors.Counts {
		// D's rows have the first numbers, in D's order
		if n := at(all, i) - at(less, i); n > 0 {
			d.Rows, d.Counts = append(d.Rows, a.factors.Rows[i]), append(d.Counts, n)
		}
	}
	return d
}

func at(c count, row int) int64 {
	if row < len(c) {
		return c[row]
	}
	return 0
}
