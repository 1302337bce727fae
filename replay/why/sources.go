package why

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
)

// sources sums up the evidence by what was executing, and by what had been completed before.
func (a *audit) sources(ctx context.Context) (err error) {
	a.out.Sources, a.out.After = []Source{}, []Source{}
	if !a.hasModel() {
		return nil
	}
	if a.metric, err = a.run.Metric(ctx); err != nil {
		return err
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
	ctx context.Context, w weights, all count, by map[int]count, force bool,
) ([]Source, error) {
	list := []Source{}
	for number, c := range by {
		s := Source{Source: a.nameOf(number, force), Steps: c.total(), number: number}
		s.Share, s.Support = w.of(c)
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y Source) int {
		return cmp.Or(-cmp.Compare(x.Share, y.Share), -cmp.Compare(x.Steps, y.Steps), cmp.Compare(x.number, y.number))
	})
	for i, s := range list {
		var err error
		if list[i].Without, err = a.ablate(ctx, all, by[s.number]); err != nil {
			return nil, fmt.Errorf("factor D without the steps of %s: %w", cmp.Or(s.Source, "no option"), err)
		}
	}
	return list, nil
}

// cosineTolerance is the difference of two cosines that rounding alone explains.
const cosineTolerance = 1e-12

// ablate factors D again without some of its rows, and finds the direction nearest to the purpose.
func (a *audit) ablate(ctx context.Context, all, less count) (Ablation, error) {
	f, err := pod.Factor(ctx, a.withoutRows(all, less))
	if err != nil || f.Total == 0 {
		return Ablation{}, err
	}
	leading, err := pod.CountLeading(a.spec, f)
	if err != nil {
		return Ablation{}, err
	}
	nearest := Ablation{Cosine: -1}
	for _, p := range pod.SelectPurposes(f, a.spec.Basis, -1) {
		if c := math.Abs(a.metric.Cos(p.Vector, a.purpose().Vector)); p.Sign > 0 && c > nearest.Cosine+cosineTolerance {
			nearest = Ablation{Cosine: c, J: p.J, Sigma: p.Sigma, Selected: p.J <= leading}
		}
	}
	return nearest, nil
}

// withoutRows returns D without some of its rows, in the order of D's.
func (a *audit) withoutRows(all, less count) pod.Dataset {
	d := pod.Dataset{Dims: a.factors.Dims}
	for i := range a.factors.Counts {
		row := a.factors.Row(i)
		number := a.rows.of(row)
		n := at(all, number) - at(less, number)
		if n > 0 {
			d.Rows, d.Counts = append(d.Rows, row...), append(d.Counts, n)
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
