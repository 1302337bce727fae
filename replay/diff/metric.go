package diff

import (
	"context"
	"maps"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// A metric compares purposes by their intrinsic rewards, and has the chance level of that comparison.
type metric struct {
	*selection.Similarity
	levels *sync.Map // of sizes to their [ChanceLevel], shared by metrics of the same M
}

// newMetric returns the metric over transitions between states of so many features.
func newMetric(ctx context.Context, dims int, transitions selection.Transitions) (*metric, error) {
	s, err := selection.NewSimilarity(ctx, dims, transitions)
	if err != nil {
		return nil, err
	}
	levels, _ := chanceLevels.LoadOrStore(s.Digest(), &sync.Map{})
	return &metric{Similarity: s, levels: levels.(*sync.Map)}, nil
}

var chanceLevels sync.Map // by the SHA-256 of M's root: a *sync.Map of sizes to their [ChanceLevel]

// runsMetric is the metric that compares some runs, with the projection of each.
type runsMetric struct {
	*metric
	projections []selection.Projection
}

// metricOf returns the metric of the model or, without a model, that over the datasets of all runs or, if a method
// factors another matrix, over their transitions.
func metricOf(ctx context.Context, runs ...*Side) (m runsMetric, err error) {
	if !slices.ContainsFunc(runs, func(r *Side) bool { return r.Spec.StateSet != schema.VisitedStates }) {
		return visitedMetric(ctx, runs...)
	}
	m.projections = make([]selection.Projection, len(runs))
	if env, ok := envs.As[envs.SimulatedEnv](runs[0].Env); ok {
		if err := envs.BuildModel(ctx, env); err != nil {
			return m, err
		}
		m.metric, err = newMetric(ctx, len(env.Features()), selection.ModelTransitions(env))
		return m, err
	}
	ofTransitions := slices.ContainsFunc(runs, func(r *Side) bool { return r.Spec.Method != "" })
	var data []linalg.Dataset
	for _, r := range runs {
		own, err := r.Datasets(ofTransitions)
		if err != nil {
			return m, err
		}
		data = append(data, own...)
	}
	m.metric, err = newMetric(ctx, len(runs[0].Env.Features()), selection.DataTransitions(data...))
	return m, err
}

// visitedMetric returns the metric over the states that the matrices of the runs have columns for. The runs must have a
// common numbering of states. M sums over the model's transitions or, without a model, over the observed ones.
func visitedMetric(ctx context.Context, runs ...*Side) (runsMetric, error) {
	common, err := visitedStates(runs...)
	if err != nil {
		return runsMetric{}, err
	}
	m, parts := runsMetric{}, []selection.Transitions(nil)
	for i, r := range runs {
		p := selection.Projection{Coordinates: make([]int32, r.Env.States()), Dims: len(common)}
		for s := range p.Coordinates {
			at, found := slices.BinarySearch(common, int32(r.numbering.Index(s)))
			if p.Coordinates[s] = int32(at); !found {
				p.Coordinates[s] = -1
			}
		}
		m.projections = append(m.projections, p)
		var observed envs.TransitionCounts
		if _, simulated := envs.As[envs.SimulatedEnv](r.Env); simulated && i > 0 {
			continue // all have the model of the first one
		} else if !simulated {
			if observed, err = r.AllTransitionCounts(); err != nil {
				return m, err
			}
		}
		parts = append(parts, p.Transitions(r.Env, observed))
	}
	m.metric, err = newMetric(ctx, len(common), func(add func(row schema.SparseRow, n int64)) {
		for _, part := range parts {
			part(add)
		}
	})
	return m, err
}

// visitedStates returns the states, in the common numbering, that a matrix of any of the runs has a column for.
func visitedStates(runs ...*Side) ([]int32, error) {
	seen := map[int32]bool{}
	for _, r := range runs {
		for k := range r.Iterations {
			f, _, err := r.Selection(k)
			if err != nil {
				return nil, err
			}
			for _, s := range f.Columns {
				seen[int32(r.numbering.Index(int(s)))] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

// signed returns purposes of iteration k, with their vectors in the coordinates of the metric that was requested last.
func (s *Side) signed(k int, purposes []schema.Purpose) []signedPurpose {
	list := make([]signedPurpose, len(purposes))
	for i, p := range purposes {
		list[i] = signedPurpose{Purpose: p, Ref: report.OptionRef(s.Label(), k, p.J, p.Sign),
			compared: s.projection.Apply(p.Vector)}
	}
	return list
}

// minResidual is the fraction of a vector's length that must remain after projection onto the
// others for it to count as independent.
const minResidual = 1e-9

// orthonormalBasis returns an orthonormal basis of the span of the images. The error is that of ctx.
func orthonormalBasis(ctx context.Context, images [][]float64) ([][]float64, error) {
	set := make([][]float64, len(images))
	for i, image := range images {
		set[i] = slices.Clone(image)
	}
	return orthonormalise(ctx, set, 2)
}

// projectedBlock is the number of vectors that are made orthogonal to earlier ones together, in less time than one by
// one.
const projectedBlock = 16

// orthonormalise makes each vector orthogonal to those before it, and of length 1, so many times (Gram and Schmidt). It
// returns those that are independent of the others. The error is that of ctx.
func orthonormalise(ctx context.Context, set [][]float64, times int) (basis [][]float64, err error) {
	for block := range slices.Chunk(set, projectedBlock) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for range times {
			linalg.SubtractProjections(basis, block)
			block = orthonormaliseBlock(block)
		}
		basis = append(basis, block...)
	}
	return basis, nil
}

// orthonormaliseBlock does what [orthonormalise] does, once and vector by vector.
func orthonormaliseBlock(block [][]float64) (basis [][]float64) {
	for _, x := range block {
		for _, y := range basis {
			floats.AddScaled(x, -floats.Dot(x, y), y)
		}
		if length := floats.Norm(x, 2); length > minResidual {
			floats.Scale(1/length, x)
			basis = append(basis, x)
		}
	}
	return basis
}

// principalCosines returns the cosines of the principal angles between two spans, largest first
// (Björck and Golub, Mathematics of Computation 27, 1973).
func principalCosines(a, b [][]float64) []float64 {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	product := mat.NewDense(len(a), len(b), slices.Concat(linalg.Products(a, b)...))
	var svd mat.SVD
	if !svd.Factorize(product, mat.SVDNone) {
		return nil
	}
	values := svd.Values(nil)
	for i, v := range values {
		values[i] = selection.SnapCosine(v)
	}
	return values
}

// subspaceOverlap returns ‖P_A P_B‖²_F / m − m/d for two spans of dimension m in d dimensions:
// about 0 by chance, and at most 1 − m/d, for equal spans. For spans of dimensions m ≤ n it is
// ‖P_A P_B‖²_F / m − n/d, at most 1 − n/d. Both results are nil if a span is empty.
func subspaceOverlap(a, b [][]float64, dims int) (value, most *float64) {
	m, n := min(len(a), len(b)), max(len(a), len(b))
	if m == 0 {
		return nil, nil
	}
	sum := 0.0
	for _, row := range linalg.Products(a, b) {
		for _, c := range row {
			sum += c * c
		}
	}
	chance := float64(n) / float64(dims)
	return new(sum/float64(m) - chance), new(1 - chance)
}
