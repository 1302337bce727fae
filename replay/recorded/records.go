package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// Advice of this package's errors.
const (
	AdviceMoreIterations = "it has %d, counted from 0; resume run %s until it has %d"
	AdviceReplay         = "replay run %s to see which records are still valid"
)

// Records reads the records of a run: it has the run's environment and the iterations that the run had when it was
// opened. Every view of a run is made from it. It is not safe for concurrent use.
type Records struct {
	tracker.Run
	Name       string   // "" for none
	Short      string   // shortest unique prefix of the ID
	Env        envs.Env // with all recorded observations
	Iterations []schema.Iteration

	View tracker.Viewer // each method reads in transactions of its own

	numbers  []int // see [FirstNumbers]
	selected recent
}

// Open returns the records of a run, which it reads through view.
func Open(view tracker.Viewer, run tracker.Run) (*Records, error) {
	r := &Records{Run: run}
	r.View = r.nameIn(view)
	err := view(func(tx *tracker.Tx) error {
		a, err := tx.ReadAnnotation(run.ID)
		if err != nil {
			return err
		}
		r.Name, r.Short = a.Name, tx.ShortID(run.ID)
		if r.Env, err = loadEnv(tx, run); err == nil {
			r.Iterations, err = tx.ReadIterations(run.ID)
		}
		return err
	})
	r.numbers = FirstNumbers(r.Iterations)
	return r, tracker.WithRepairHint(err, r.Label())
}

// With returns the same records read through another view.
func (r *Records) With(view tracker.Viewer) *Records {
	other := *r
	other.View, other.selected = r.nameIn(view), recent{}
	return &other
}

// nameIn returns a view whose errors for pruned records name the run to repair.
func (r *Records) nameIn(view tracker.Viewer) tracker.Viewer {
	return func(read func(*tracker.Tx) error) error { return tracker.WithRepairHint(view(read), r.Label()) }
}

// Label returns the run's name, or the short form of its ID if it has none.
func (r *Records) Label() string { return cmp.Or(r.Name, r.Short) }

// ErrNoIteration is the error of naming an iteration that the run does not have.
var ErrNoIteration = errors.New("has no iteration")

// CheckIteration returns an error if the run has no iteration k.
func (r *Records) CheckIteration(k int) error {
	if k < len(r.Iterations) {
		return nil
	}
	return schema.Hint(fmt.Errorf("run %s %w %d", r.Label(), ErrNoIteration, k),
		AdviceMoreIterations, len(r.Iterations), r.Label(), k+1)
}

// WrapError adds the run and the iteration to an error. If the error is of a lost or malformed record, it also wraps
// [tracker.ErrDamaged]. WrapError returns nil if err is nil.
func (r *Records) WrapError(k int, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err)
	if !IsDamage(err) {
		return tracker.WithRepairHint(err, r.Label())
	}
	if !errors.Is(err, tracker.ErrDamaged) {
		err = fmt.Errorf("%w: %w", tracker.ErrDamaged, err)
	}
	return schema.Hint(err, AdviceReplay, r.Label())
}

// FirstNumbers returns the number of each iteration's first option, followed by the number of all options.
func FirstNumbers(iterations []schema.Iteration) []int {
	numbers := make([]int, len(iterations)+1)
	for k, it := range iterations {
		numbers[k+1] = numbers[k] + len(it.RecordsOf(schema.KindOption))
	}
	return numbers
}

// FirstNumber returns the number of the first option that iteration k made or, for the next iteration, would make.
func (r *Records) FirstNumber(k int) int { return r.numbers[k] }

// KnownAfter returns the records with the environment as it was known after iteration k.
func (r *Records) KnownAfter(k int) (*Records, error) {
	env, err := r.EnvAfter(k)
	known := r.With(r.View)
	known.Env = env
	return known, err
}

// Selection returns the factors of iteration k and the signed purposes that it selected from them. It caches recent
// results.
func (r *Records) Selection(k int) (schema.Factors, []schema.Purpose, error) {
	if s := r.selected.get(k); s != nil {
		return s.factors, s.purposes, nil
	}
	s, err := selected{k: k}, error(nil)
	if s.factors, err = r.Factors(k); err == nil {
		s.purposes, err = r.Purposes(k, s.factors)
	}
	if err != nil {
		return schema.Factors{}, nil, r.WrapError(k, err)
	}
	r.selected.add(&s)
	return s.factors, s.purposes, nil
}

// Release drops the factors and purposes that Selection keeps if they take much memory.
func (r *Records) Release() {
	if size := r.selected.bytes; size > recentBytes {
		r.selected = recent{}
		memory.Dropped(int64(size))
	}
}

// Factors reads the factors of iteration k.
func (r *Records) Factors(k int) (schema.Factors, error) {
	return tracker.Read(r.View, func(tx *tracker.Tx) (schema.Factors, error) {
		return LoadFactors(tx, r.Env, r.SpecAt(k), r.Iterations[k])
	})
}

// Purposes returns the signed purposes that iteration k selected from its factors.
func (r *Records) Purposes(k int, f schema.Factors) ([]schema.Purpose, error) {
	purposes, err := tracker.Read(r.View, func(tx *tracker.Tx) ([]schema.Purpose, error) {
		return LoadPurposes(tx, r.SpecAt(k), r.Iterations[k], f)
	})
	if err != nil {
		return nil, err
	}
	if err := memory.Check(8 * int64(len(purposes)) * int64(f.Features())); err != nil {
		return nil, err
	}
	return selection.NewDirections(r.SpecAt(k), k, f).WithVectors(purposes), nil
}

// Datasets returns the rows over which purposes are compared where no model is known: D of each iteration or, if they
// are to be those of transitions because a method factors something else, one of all transitions.
func (r *Records) Datasets(ofTransitions bool) (data []linalg.Dataset, err error) {
	if ofTransitions {
		moves, err := r.AllTransitionCounts()
		return []linalg.Dataset{moves.Dataset(r.Env)}, err
	}
	for k := range r.Iterations {
		f, _, err := r.Selection(k)
		if err != nil {
			return nil, err
		}
		data = append(data, linalg.DatasetFromFactors(f))
	}
	return data, nil
}

// VisitSteps visits the recorded steps of iteration k in order, and returns the final state. The transaction in which
// a record is read ends before its steps are visited, so that writers need not wait for visit.
func (r *Records) VisitSteps(k int, visit func(Step)) (state int, err error) {
	return r.VisitStepsWhile(k, func(s Step) bool {
		visit(s)
		return true
	})
}

// VisitStepsWhile visits steps like [Records.VisitSteps] as long as visit returns true.
func (r *Records) VisitStepsWhile(k int, visit func(Step) bool) (state int, err error) {
	goesOn := true
	w := NewStepVisitor(r.Env, r.numbers[k], func(s Step) { goesOn = goesOn && visit(s) })
	for _, name := range r.Iterations[k].RecordsOf(schema.KindTransitions) {
		t, err := tracker.Read(r.View, func(tx *tracker.Tx) (schema.Transitions, error) {
			return tracker.Load(tx, name, schema.DecodeTransitions)
		})
		if err != nil {
			return 0, err
		}
		if err := w.VisitChunk(&t); err != nil {
			return 0, fmt.Errorf("record %s: %w", name, err)
		}
		if !goesOn {
			break
		}
	}
	return w.State, nil
}

// VisitAllSteps visits the steps of iterations first to end − 1 in order, numbered from the first one, and returns the
// final state.
func (r *Records) VisitAllSteps(first, end int, visit func(Step)) (state int, err error) {
	before := int64(0)
	for k := first; k < end; k++ {
		state, err = r.VisitSteps(k, func(s Step) {
			s.T += before
			visit(s)
		})
		if err != nil {
			return 0, r.WrapError(k, err)
		}
		before += r.SpecAt(k).Steps
	}
	return state, nil
}

// LoadFactors reads the factors of an iteration with that spec and checks them against it and the
// environment.
func LoadFactors(tx *tracker.Tx, env envs.Env, spec schema.Spec, it schema.Iteration) (schema.Factors, error) {
	name, err := it.OnlyRecord(schema.KindFactors)
	if err != nil {
		return schema.Factors{}, err
	}
	f, err := tracker.Load(tx, name, schema.DecodeFactors)
	if err == nil && !envs.FitsFeatures(env, f.Features()) {
		err = fmt.Errorf("record %s: %w: factors for %d features", name, wire.ErrMalformed, f.Features())
	}
	if err == nil && (f.Columns != nil) != (spec.StateSet == schema.VisitedStates) {
		err = fmt.Errorf("record %s: %w: factors for %d columns of %d features", name, wire.ErrMalformed, f.Dims,
			f.Features())
	}
	if err == nil && (f.Directions() != cmp.Or(matrix.TopOf(spec, f.Dims), f.Dims) ||
		f.Centred != matrix.IsCentred(spec, f.Dims)) {
		err = fmt.Errorf("record %s: %w: %d directions of factors for %d columns", name, wire.ErrMalformed,
			f.Directions(), f.Dims)
	}
	return f, err
}

// IsDamage reports whether err means that a record is missing, damaged or malformed.
func IsDamage(err error) bool {
	for _, kind := range []error{tracker.ErrDamaged, tracker.ErrMissing, wire.ErrMalformed, wire.ErrTruncated,
		wire.ErrOversized, wire.ErrNotCanonical, wire.ErrVersion} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// maxShared is how long iterations share one transaction, for which writers have to wait.
const maxShared = 50 * time.Millisecond

// VisitIterations calls visit for each iteration in order until it returns an error, and returns the iteration at which
// it did. visit must read through the records that it is given. Iterations with at most one record of transitions share
// transactions: opening one takes longer than reading a small iteration, above all while another process writes. Larger
// iterations are read in transactions of their own.
func (r *Records) VisitIterations(visit func(in *Records, k int) error) (k int, err error) {
	for k < len(r.Iterations) && err == nil {
		if !isShort(r.Iterations[k]) {
			if err = visit(r, k); err == nil {
				k++
			}
			continue
		}
		err = r.View(func(tx *tracker.Tx) error {
			in := r.With(tx.View)
			for begun := time.Now(); k < len(r.Iterations) && isShort(r.Iterations[k]); k++ {
				if err := visit(in, k); err != nil {
					return err
				}
				if time.Since(begun) > maxShared {
					k++
					return nil
				}
			}
			return nil
		})
	}
	return k, err
}

// isShort reports whether an iteration has at most one record of transitions.
func isShort(it schema.Iteration) bool { return len(it.RecordsOf(schema.KindTransitions)) <= 1 }
