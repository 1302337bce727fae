package report

import (
	"cmp"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/warnings"
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
	Keep       *tracker.Retention `json:"keep,omitempty"` // retention, nil for everything
	ProofLevel schema.Level       `json:"proof_level"`    // lowest of its stages': see [stages.LevelsOf]

	// Measures are those of the last iteration, nil unless something needed them.
	Measures *schema.Measures `json:"measures,omitempty"`

	// ExternalMeasures are those of an external stage in the last iteration, nil unless something needed them.
	ExternalMeasures schema.ExternalMeasures `json:"external_measures,omitempty"`

	// Exploration is how the run explored, nil unless something needed it.
	Exploration *explore.Summary `json:"exploration,omitempty"`

	// Warnings say what keeps the run from its purpose, nil unless [LoadWarnings] was called.
	Warnings []warnings.Warning `json:"findings,omitzero"`

	// Columns holds the columns that are read on demand, by name, nil unless something needed them.
	Columns map[string]any `json:"columns,omitempty"`

	// Levels are the proof levels of the stages, and Proves says in a line of text what the head proves. They are empty
	// unless something needed them.
	Levels []stages.Level `json:"levels,omitempty"`
	Proves string         `json:"proves,omitempty"`

	Source tracker.Run `json:"-"`

	// Places are those of the run in studies: of the ones that the filter chose by which the run was found. They are nil
	// unless something needed them.
	Places []tracker.Membership `json:"-"`
}

// Ancestor is the run from which a fork's iterations up to Until − 1 come.
type Ancestor struct {
	Run   schema.Digest `json:"run"`
	Until int           `json:"until"`
}

// Summarise reads a run.
func Summarise(tx *tracker.Tx, r tracker.Run) (Run, error) {
	read, err := new(replay.Store).ReadRun(tx, r) // which needs no store, since no record of it is read
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
	run.Short, run.Name, run.Note, run.Failure = read.Short, read.Name, read.Note, read.Failure
	run.Iterations, run.Target, run.Status = read.Iterations, read.Target, read.Status
	run.ProofLevel = stages.LowestLevel(stages.LevelsOf(r, read.Iterations))
	run.Tags, run.Keep, run.Created = append([]string{}, read.Tags...), keep, read.Created
	if read.Iterations > 0 {
		run.Head = new(read.Head)
	}
	return run, nil
}

// describeRow returns what can be read from a run's row alone.
func describeRow(r tracker.Run) (Run, error) {
	run := Run{ID: r.ID, Seed: r.Spec.Seed, Env: r.Spec.Env.Name, Reading: readingOf(r.Spec), Spec: r.Spec, Source: r,
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

// readingOf returns the name of a spec's reading, "" where no reading means anything: imported rows are a D as it is,
// and a method with a matrix of its own factors no D, unless it is the reading.
func readingOf(spec schema.Spec) string {
	reading := spec.Reading()
	if spec.Env.Name == envs.RowsName || spec.Method.HasMatrix() && reading != schema.CoveringEigenoptions {
		return ""
	}
	return reading
}

// Of describes an opened run without reading more of it.
func Of(r *recorded.Records) Run {
	run, _ := describeRow(r.Run) // no error: opening the run has checked its row
	run.Short, run.Name, run.Iterations = r.Short, r.Name, len(r.Iterations)
	if n := len(r.Iterations); n > 0 {
		run.Head = &r.Iterations[n-1].Link
	}
	return run
}

// Label returns the run's name, or the short form of its ID.
func (r Run) Label() string { return cmp.Or(r.Name, r.Short) }

func (r Run) Failed(k int, err error) error {
	return tracker.WithRepairHint(fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err), r.Label())
}

// Parent returns the parent of a fork as RUN:K, "" for other runs.
func (r Run) Parent() string { return r.parent(7) }

// parent returns the parent of a fork with that many digits, "" for other runs.
func (r Run) parent(digits int) string {
	if len(r.Ancestors) == 0 {
		return ""
	}
	last := r.Ancestors[len(r.Ancestors)-1]
	return fmt.Sprintf("%.*s:%d", digits, last.Run, last.Until)
}

// LoadColumns reads the columns that [Summarise] does not read: the measures of each run's last iteration, and columns
// that are read on demand.
func LoadColumns(tx *tracker.Tx, runs []Run, keys []string) error {
	for i := range runs {
		for _, key := range keys {
			if err := runs[i].load(tx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads the column of a key, unless [Summarise] has read it.
func (r *Run) load(tx *tracker.Tx, key string) error {
	if r.isLoaded(key) {
		return nil
	}
	if from := r.sourceOf(key); from != nil {
		return from.load(tx, r, key)
	}
	value, err := columnsByName[key].load(tx, r)
	if r.Columns == nil {
		r.Columns = map[string]any{}
	}
	r.Columns[key] = value
	return err
}

// isLoaded reports whether the column of a key has been read.
func (r *Run) isLoaded(key string) bool {
	if from := r.sourceOf(key); from != nil {
		return r.Iterations == 0 || from.isLoaded(r, key)
	}
	c := columnsByName[key]
	_, has := r.Columns[key]
	return c == nil || c.load == nil || has
}

// isOnDemand reports whether the column of a key is not read by [Summarise].
func (r *Run) isOnDemand(key string) bool {
	c := columnsByName[key]
	return r.isMeasure(key) || c != nil && c.load != nil
}

// WholeField returns the named fact of the run like [Run.Field], but in the form for programs: digests in full, and
// times as in RFC 3339.
func (r *Run) WholeField(name string) (string, bool) {
	if c := columnsByName[name]; c != nil && c.whole != nil {
		return c.whole(r), true
	}
	return r.Field(name)
}

// RunStatus describes how far the work on a run is, and how it ended.
type RunStatus struct {
	Run
	Position *Position  `json:"position"` // in iteration Iterations, as last saved; nil at its beginning
	Saved    *time.Time `json:"saved"`    // when work was saved last, nil if never
	Owner    *Owner     `json:"owner"`    // nil if no process works on the run

	Ended tracker.SessionState `json:"ended,omitempty"`  // how the last process on an incomplete run ended, "" if unknown
	By    string               `json:"signal,omitempty"` // signal that ended it
	Lost  *float64             `json:"lost"`             // upper bound of the seconds of work that it lost; nil if unknown
}

// Owner is the process that works on a run.
type Owner struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// LoadStatus returns how far the work on a run is.
func LoadStatus(tx *tracker.Tx, r Run) (RunStatus, error) {
	s := RunStatus{Run: r}
	sessions, err := tx.ReadSessions(r.ID)
	if err != nil {
		return s, err
	}
	if len(sessions) > 0 {
		last := sessions[len(sessions)-1]
		if r.Status != tracker.Complete && last.To == r.Iterations && last.Stage != "" {
			s.Position = &Position{last.Stage, last.Part, last.Parts}
		}
		if last.Saved != 0 {
			s.Saved = new(time.Unix(0, last.Saved).UTC())
		}
		if r.Status == tracker.Interrupted || r.Status == tracker.Failed {
			s.Ended, s.By = last.State, last.Signal
			s.Lost = new(tx.LostAtMost(last).Seconds())
		}
	}
	if r.Status != tracker.Running {
		return s, nil
	}
	lease, err := tx.ReadLease(r.ID)
	if lease != nil {
		s.Owner = &Owner{Host: lease.Host, PID: lease.PID, Since: time.Unix(0, lease.Since).UTC()}
	}
	return s, err
}
