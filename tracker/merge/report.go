package merge

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// An Outcome is the result of copying one run.
type Outcome string

// The outcomes of a copy. With the last three nothing is copied.
const (
	OutcomeNew       Outcome = "new"       // all of the run was copied
	OutcomeCompleted Outcome = "completed" // the missing iterations were copied
	OutcomePresent   Outcome = "present"   // the target had every iteration
	OutcomeDiffers   Outcome = "differs"   // an iteration has another link in the target, which is not changed
	OutcomeHeld      Outcome = "held"      // another process works on the run in the target
	OutcomeRefused   Outcome = "refused"   // some part of the run is invalid
)

// A Report is the result of [Run].
type Report struct {
	Runs    []CopiedRun `json:"runs"`    // in the order in which they were finished
	Records int         `json:"records"` // number of copied records
	Bytes   int64       `json:"bytes"`   // of those records as stored
	Healed  int         `json:"healed"`  // records that were damaged or missing in the target
}

// A CopiedRun is the result for one run.
type CopiedRun struct {
	Run       schema.Digest `json:"run"` // zero if not even the ID could be read
	Name      string        `json:"name"`
	Outcome   Outcome       `json:"outcome"`
	From      int           `json:"from"`             // iterations in the target before
	To        int           `json:"to"`               // iterations in the target after
	Restored  int           `json:"restored"`         // records that had been pruned in the target
	Healed    int           `json:"healed"`           // records that were damaged or missing in the target
	Iteration *int          `json:"iteration"`        // the first that differs or is invalid
	Record    *CopiedRecord `json:"record"`           // the first in Iteration that differs or is invalid
	Reason    string        `json:"reason,omitempty"` // why nothing was copied
	Dropped

	Misfit bool `json:"-"` // refused for an intact record that the run's spec cannot make; no repair changes that

	settled bool  // the result is final
	records int   // number of copied records
	bytes   int64 // of these as stored
}

// Dropped has the source's metadata of a run that the target does not take.
type Dropped struct {
	NameTaken string `json:"name_taken,omitempty"`   // its name, if another run has it in the target
	TheirName string `json:"dropped_name,omitempty"` // its name, if the target has another one
	TheirNote string `json:"dropped_note,omitempty"` // its note, if the target has another one
}

// A CopiedRecord is a record as the source lists it.
type CopiedRecord struct {
	Kind   schema.Kind   `json:"kind"`
	Digest schema.Digest `json:"digest"`
}

// A runError says why a run is not copied, and where. It does not affect other runs.
type runError struct {
	outcome Outcome
	k       int // −1 if no iteration is concerned
	entry   *schema.Entry
	theirs  []schema.Entry // of iteration k in the source, if the links differ
	err     error
	misfit  bool // see [CopiedRun]
}

func (r *runError) Error() string {
	switch {
	case r.entry != nil:
		return fmt.Sprintf("iteration %d: %s record %s: %v", r.k, r.entry.Kind, r.entry.Name, r.err)
	case r.k >= 0:
		return fmt.Sprintf("iteration %d: %v", r.k, r.err)
	}
	return r.err.Error()
}

func (r *runError) Unwrap() error { return r.err }

// findDifference sets the first record in which the source's iteration differs from ours. If none differs, our
// own link is wrong.
func (r *runError) findDifference(ours []schema.Entry) {
	for i := range max(len(ours), len(r.theirs)) {
		switch {
		case i >= len(r.theirs):
			r.entry, r.err = &ours[i], errors.New("only the target has it")
		case i >= len(ours):
			r.entry, r.err = &r.theirs[i], errors.New("the target does not have it")
		case ours[i] != r.theirs[i]:
			r.entry, r.err = &r.theirs[i], fmt.Errorf("the target has %s record %s", ours[i].Kind, ours[i].Name)
		default:
			continue
		}
		return
	}
}

// refusedError wraps an error of a run of the source; entry may be nil.
func refusedError(k int, entry *schema.Entry, err error) error {
	return &runError{outcome: OutcomeRefused, k: k, entry: entry, err: err}
}

// refusedHereError wraps an error of the target's part of a run.
func refusedHereError(err error) error {
	return refusedError(-1, nil, fmt.Errorf("in the target: %w", err))
}

// changedError reports that another process changed the run in the target.
func changedError(id schema.Digest) error {
	return &runError{outcome: OutcomeHeld, k: -1,
		err: fmt.Errorf("run %.7s: another process changed it in the target", id)}
}

// setOutcome sets the outcome for a [runError], and returns any other error.
func (c *CopiedRun) setOutcome(err error) error {
	f, ok := errors.AsType[*runError](err)
	if !ok {
		return err
	}
	c.Outcome, c.Reason, c.To, c.settled = f.outcome, f.Error(), max(c.From, c.To), true
	c.Misfit = f.misfit
	if f.k >= 0 {
		k := f.k // a copy, so that f can be freed
		c.Iteration = &k
	}
	if f.entry != nil {
		c.Record = &CopiedRecord{Kind: f.entry.Kind, Digest: f.entry.Name}
	}
	return nil
}
