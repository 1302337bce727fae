package warnings

import (
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
	if names := record.RecordsOf(schema.KindTransitions); len(names) > 0 && spec.UsesExperience() &&
		it.optionShare() >= longCalls {
		t, err := tracker.Load(tx, names[0], schema.DecodeTransitions)
		if err == nil {
			it.ends = new(countEnds(&t, spec.MaxOptionSteps))
		} else if err = ignorePruned(err); err != nil {
			return err
		}
	}
	r.directions(it)
	r.recurrence(it)
	err := r.calls(tx, it)
	if made := record.RecordsOf(schema.KindOption); len(made) > 0 {
		r.options = made[:min(len(made), fewOptions)]
	}
	return err
}

// ignorePruned returns err, or nil if the error is a pruned record.
func ignorePruned(err error) error {
	if errors.Is(err, tracker.ErrPruned) {
		return nil
	}
	return err
}

// Warnings returns what still holds of what was found so far, the most fundamental first: what applies to the last
// iteration, and to at least half of the iterations in which it was checked. It leaves out consequences of the others.
func (r *Reader) Warnings() []Warning {
	holds := func(w *Warning) bool { return w != nil && w.K == r.count-1 && 2*w.Iterations >= w.Of }
	list := []Warning{}
	for _, kind := range order {
		if w := r.found[kind]; holds(w) && !holds(r.found[consequences[kind]]) {
			list = append(list, *w)
		}
	}
	return list
}

// order is the order in which warnings are listed.
var order = []Kind{NothingChanges, NoDirection, SmallFeatures, NoRecurrence, NeverCalled, NeverEnd, FewerStates}

// consequences maps a warning to the one that it is a consequence of.
var consequences = map[Kind]Kind{NeverCalled: NoRecurrence, FewerStates: NeverEnd}

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
		m, err := tracker.LoadOnly(tx, it, schema.KindMeasures, schema.DecodeMeasures)
		var factors *schema.Factors
		if err == nil {
			var f schema.Factors
			if f, err = tracker.LoadOnly(tx, it, schema.KindFactors, schema.DecodeFactors); err == nil {
				factors = &f
			}
			err = ignorePruned(err)
		}
		if err == nil {
			err = r.Add(tx, run.SpecAt(k), it, m, factors)
		}
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	sessions, err := tx.ReadSessions(run.ID)
	return slices.Insert(r.Warnings(), 0, Rechecked(sessions)...), err
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
