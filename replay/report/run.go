package report

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/findings"
	"github.com/podtrack/podtrack/replay/returns"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Run describes a run as lists show it.
type Run struct {
	ID         schema.Digest      `json:"run"`
	Short      string             `json:"short"` // shortest unique prefix of the ID, at least 7
	Name       string             `json:"name"`
	Seed       uint64             `json:"seed"`
	Env        string             `json:"env"`
	Reading    string             `json:"reading"`
	Iterations int                `json:"iterations"`
	Target     int                `json:"target"`
	Status     tracker.Status     `json:"status"`
	Head       *schema.Digest     `json:"head"` // nil before the first iteration
	Failure    string             `json:"failure,omitempty"`
	Tags       []string           `json:"tags"`
	Note       string             `json:"note"`
	Created    time.Time          `json:"created"`
	Ancestors  []Ancestor         `json:"ancestors"` // of a fork, the oldest first
	Spec       schema.Spec        `json:"spec"`
	Keep       *tracker.Retention `json:"keep,omitempty"` // what is kept of its records, nil for everything
	ProofLevel schema.Level       `json:"proof_level"`    // lowest of its stages': see [replay.LevelsOf]

	// Measures are those of the last iteration, nil unless something needed them.
	Measures *schema.Measures `json:"measures,omitempty"`

	// ExternalMeasures are those of an external stage in the last iteration, nil unless something needed them.
	ExternalMeasures schema.ExternalMeasures `json:"external_measures,omitempty"`

	// Exploration is how the run explored, nil unless something needed it.
	Exploration *explore.Run `json:"exploration,omitempty"`

	// Findings is what the run's user should know, nil unless they were looked for.
	Findings []findings.Finding `json:"findings,omitzero"`

	// Returns are what the agent earned, nil unless something needed them.
	Returns *returns.Run `json:"returns,omitempty"`

	// Levels are those of the stages, and Proves what the head proves by them, as a line of text. They are nil and
	// empty unless something needed them.
	Levels []replay.StageLevel `json:"levels,omitempty"`
	Proves string              `json:"proves,omitempty"`

	Source tracker.Run `json:"-"`
}

// Ancestor is the run from which a fork's iterations up to Until − 1 come.
type Ancestor struct {
	Run   schema.Digest `json:"run"`
	Until int           `json:"until"`
}

// Summarise reads a run.
func Summarise(tx *tracker.Tx, r tracker.Run) (Run, error) {
	a, err := tx.ReadAnnotation(r.ID)
	if err != nil {
		return Run{}, err
	}
	done, head, err := tx.ReadHead(r.ID)
	if err != nil {
		return Run{}, err
	}
	status, err := tx.DeriveStatus(r.ID, a, done)
	if err != nil {
		return Run{}, err
	}
	tags, err := tx.ReadTags(r.ID)
	if err != nil {
		return Run{}, err
	}
	keep, err := tx.ReadRetention(r.ID)
	if err != nil {
		return Run{}, err
	}
	run, err := describeRow(r)
	if err != nil {
		return run, err
	}
	run.Short, run.Name, run.Note, run.Failure = tx.ShortID(r.ID), a.Name, a.Note, a.Failure
	run.Iterations, run.Target, run.Status = done, a.Target, status
	run.ProofLevel = replay.LowestLevel(replay.LevelsOf(r, done))
	run.Tags, run.Keep, run.Created = append([]string{}, tags...), keep, time.Unix(0, a.Created).UTC()
	if done > 0 {
		run.Head = &head
	}
	return run, nil
}

// describeRow returns what a run's row alone tells.
func describeRow(r tracker.Run) (Run, error) {
	run := Run{ID: r.ID, Seed: r.Spec.Seed, Env: r.Spec.Env.Name, Reading: r.Spec.Reading(), Spec: r.Spec, Source: r,
		Ancestors: []Ancestor{}}
	for _, a := range r.Ancestors {
		id, err := a.ID()
		if err != nil {
			return run, err
		}
		run.Ancestors = append(run.Ancestors, Ancestor{Run: id, Until: a.Until})
	}
	return run, nil
}

// Of describes an opened run as far as it is known without reading more.
func Of(r *replay.Records) Run {
	run, _ := describeRow(r.Run) // a run whose ancestors have no IDs is not read
	run.Short, run.Name, run.Iterations = r.Short, r.Name, len(r.Iterations)
	if n := len(r.Iterations); n > 0 {
		run.Head = &r.Iterations[n-1].Link
	}
	return run
}

// Label returns the run's name, or the short form of its ID.
func (r Run) Label() string {
	if r.Name != "" {
		return r.Name
	}
	return r.Short
}

func (r Run) failed(k int, err error) error {
	return tracker.WithRepairHint(fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err), r.Label())
}

// Parent returns the parent of a fork as RUN:K, "" for other runs.
func (r Run) Parent() string {
	if len(r.Ancestors) == 0 {
		return ""
	}
	last := r.Ancestors[len(r.Ancestors)-1]
	return fmt.Sprintf("%.7s:%d", last.Run, last.Until)
}

// LoadLastMeasures reads the measures of each run's last iteration, those that the keys name among
// others. Keys that are no measures are ignored.
func LoadLastMeasures(tx *tracker.Tx, runs []Run, keys []string) error {
	for i := range runs {
		for _, key := range keys {
			if err := runs[i].loadMeasure(tx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadMeasure reads the measures of the last iteration among which the key is, if it is one.
func (r *Run) loadMeasure(tx *tracker.Tx, key string) error {
	switch {
	case IsExploration(key):
		return r.loadExploration(tx, key)
	case IsReturn(key):
		return r.loadReturns(tx)
	case r.hasExternal(key):
		return r.loadExternal(tx)
	case !IsRecorded(key) || r.Measures != nil || r.Iterations == 0:
		return nil
	}
	m, err := LoadMeasures(tx, r.ID, r.Iterations-1)
	if err != nil {
		return r.failed(r.Iterations-1, err)
	}
	r.Measures = &m
	return nil
}

// Measure returns a measure of the last iteration, nil if it is undefined or was not loaded.
func (r *Run) Measure(name string) (value *float64) {
	switch {
	case r.Exploration != nil && IsExploration(name):
		value, _ = r.Exploration.Get(name, r.Iterations-1)
	case r.Returns != nil && IsReturn(name):
		value, _ = r.Returns.Get(name, r.Iterations-1)
	case r.hasExternal(name):
		value = r.ExternalMeasures[name]
	case r.Measures != nil:
		value, _ = r.Measures.Get(name)
	}
	return value
}

// hasMeasure reports whether a measure was loaded, if the run has any.
func (r *Run) hasMeasure(name string) bool {
	if IsExploration(name) {
		return r.Iterations == 0 || r.Exploration != nil && (r.Exploration.HasOptions || !explore.NeedsOptions(name))
	}
	if IsReturn(name) {
		return r.Iterations == 0 || r.Returns != nil
	}
	if !IsMeasure(name) {
		return r.Iterations == 0 || !r.hasExternal(name) || r.ExternalMeasures != nil
	}
	return r.Iterations == 0 || r.Measures != nil
}

// WholeField returns the named fact of the run like [Run.Field], but digests with all of their characters and times as
// RFC 3339 has them: for programs.
func (r *Run) WholeField(name string) (string, bool) {
	switch name {
	case "run":
		return r.ID.String(), true
	case "head":
		if r.Head != nil {
			return r.Head.String(), true
		}
	case "data":
		if !r.Spec.Data.IsZero() {
			return r.Spec.Data.String(), true
		}
	case "parent":
		if n := len(r.Ancestors); n > 0 {
			return fmt.Sprintf("%s:%d", r.Ancestors[n-1].Run, r.Ancestors[n-1].Until), true
		}
	case "created":
		return r.Created.Format(time.RFC3339), true
	}
	return r.Field(name)
}
