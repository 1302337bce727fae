package warnings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// iteration holds the data that an iteration's warnings are derived from.
type iteration struct {
	k        int
	spec     schema.Spec
	measures schema.Measures
	factors  *schema.Factors // nil if they are unavailable
	ends     *callEnds       // nil if not counted
}

// optionShare returns the share of the steps in which an option was executed.
func (i iteration) optionShare() float64 {
	if i.measures.OptionLength == nil {
		return 0
	}
	return float64(i.measures.Calls) * *i.measures.OptionLength / float64(i.spec.Steps)
}

// A Reader takes the iterations of a run in order.
type Reader struct {
	found map[Kind]*Warning
	count int   // iterations so far
	first int64 // states visited in iteration 0

	options []schema.Digest // some of the latest iteration's that made any
}

// Add takes the next iteration. Factors are nil if they are unavailable.
func (r *Reader) Add(tx *tracker.Tx, spec schema.Spec, record schema.Iteration, m schema.Measures,
	f *schema.Factors) error {
	it := iteration{k: r.count, spec: spec, measures: m, factors: f}
	if r.count++; it.k == 0 {
		r.first = m.StatesVisited
	}
	if len(record.RecordsOf(schema.KindRows)) > 0 { // an agent took no steps
		r.directions(it)
		return nil
	}
	if spec.UsesExperience() && it.optionShare() >= longCalls {
		ends, err := readCallEnds(tx, spec, record)
		if err := ignorePruned(err); err != nil {
			return err
		}
		it.ends = ends
	}
	r.directions(it)
	r.recurrence(it)
	err := r.calls(tx, it)
	r.keepOptions(record)
	return err
}

// ignorePruned returns err, or nil if the error is a pruned record.
func ignorePruned(err error) error {
	if errors.Is(err, tracker.ErrPruned) {
		return nil
	}
	return err
}

// Warnings returns what was found so far, the most fundamental first.
func (r *Reader) Warnings() []Warning {
	list := []Warning{}
	for _, f := range r.found {
		if f.isLasting(r.count) {
			list = append(list, *f)
		}
	}
	slices.SortFunc(list, func(a, b Warning) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	return withoutConsequences(list)
}

// order is the order in which warnings are listed.
var order = []Kind{NothingChanges, NoDirection, SmallFeatures, NoRecurrence, NeverCalled, NeverEnd, FewerStates}

// isLasting reports whether the warning still holds: it applies to the last iteration, and to at least half of the
// iterations in which it was checked.
func (w *Warning) isLasting(count int) bool { return w.K == count-1 && 2*w.Iterations >= w.Of }

// consequences maps a warning to the one that it is a consequence of.
var consequences = map[Kind]Kind{NeverCalled: NoRecurrence, FewerStates: NeverEnd}

// withoutConsequences leaves out each warning that is a consequence of another one in the list.
func withoutConsequences(list []Warning) []Warning {
	has := map[Kind]bool{}
	for _, f := range list {
		has[f.Kind] = true
	}
	return slices.DeleteFunc(list, func(f Warning) bool { return has[consequences[f.Kind]] })
}

// add adds a warning about an iteration.
func (r *Reader) add(f Warning, it iteration, of int) {
	if r.found == nil {
		r.found = map[Kind]*Warning{}
	}
	f.K, f.Iterations, f.Of = it.k, 1, of
	if before := r.found[f.Kind]; before != nil {
		f.Iterations += before.Iterations
	}
	if f.Remedies == nil {
		f.Remedies = []Remedy{}
	}
	r.found[f.Kind] = &f
}

// Read returns the warnings about the recorded iterations of a run.
func Read(tx *tracker.Tx, run tracker.Run) ([]Warning, error) {
	var r Reader
	iterations, err := tx.ReadIterations(run.ID)
	if err != nil {
		return nil, err
	}
	for k, it := range iterations {
		if err := r.read(tx, run.SpecAt(k), it); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	sessions, err := tx.ReadSessions(run.ID)
	return slices.Insert(r.Warnings(), 0, Rechecked(sessions)...), err
}

// read reads the measures and factors of the next iteration, and takes it.
func (r *Reader) read(tx *tracker.Tx, spec schema.Spec, it schema.Iteration) error {
	m, err := tracker.LoadOnly(tx, it, schema.KindMeasures, schema.DecodeMeasures)
	if err != nil {
		return err
	}
	f, err := tracker.LoadOnly(tx, it, schema.KindFactors, schema.DecodeFactors)
	if errors.Is(err, tracker.ErrPruned) {
		return r.Add(tx, spec, it, m, nil)
	} else if err != nil {
		return err
	}
	return r.Add(tx, spec, it, m, &f)
}

// keepOptions keeps the names of some of an iteration's options, if it has any.
func (r *Reader) keepOptions(it schema.Iteration) {
	if made := it.RecordsOf(schema.KindOption); len(made) > 0 {
		r.options = made[:min(len(made), fewOptions)]
	}
}

// The thresholds of warnings. They are chosen so that the paper's experiment, the runs of the study and those of the
// guides cause no warning that is not worth reading.
const (
	fewestSteps  = 200  // of an iteration in which states could have recurred
	newStates    = 0.9  // share of the steps that lead to states that the iteration had not visited
	longCalls    = 0.25 // share of the steps in options from which on their ends are counted
	mostlyCalls  = 0.5  // share of the steps in options that makes them the cause of what is visited
	fewestCalls  = 5    // expected calls from which on having none is a warning
	fewestEnds   = 2    // of calls in iterations of fewer steps than fewestSteps
	turnedOff    = 1e9  // κ from which on no direction is meant to pass
	fewOptions   = 16   // whose initiation sets are examined
	fewestStates = 20   // visited without options, from which on visiting fewer is a warning
)
