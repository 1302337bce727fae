package report

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Detail is a run with its iterations.
type Detail struct {
	Run
	History  []Iteration `json:"history"`
	Sessions []Session   `json:"sessions"`
}

// Iteration is one iteration of a run.
type Iteration struct {
	K     int           `json:"k"`
	Link  schema.Digest `json:"link"`
	Steps int64         `json:"steps"`
	Sigma []float64     `json:"sigma"` // null where the factors were pruned
	schema.Measures
	ExternalMeasures schema.ExternalMeasures `json:"external_measures,omitempty"` // of an external stage

	Records []Record           `json:"records"`
	Cost    map[string]float64 `json:"cost"` // seconds a stage

	// Rejected lists the directions that did not become options, if the rule is
	// not σ > κ. They are recorded with the reason.
	Rejected []Rejected `json:"rejected,omitempty"`

	// Eigenpurposes lists the selected ones of an environment without actions, where no options have them.
	Eigenpurposes []Eigenpurpose `json:"eigenpurposes,omitempty"`
}

// Eigenpurpose is an eigenpurpose of a plain D, with positive sign.
type Eigenpurpose struct {
	J      int       `json:"j"`
	Sigma  float64   `json:"sigma"`
	Vector []float64 `json:"vector"`
}

// Record describes a record of an iteration: its size, and its size in the store.
type Record struct {
	Kind   schema.Kind   `json:"kind"`
	Digest schema.Digest `json:"digest"`
	Bytes  int64         `json:"bytes"`
	Stored int64         `json:"stored"`
	Pruned bool          `json:"pruned,omitempty"` // its sizes are then 0
}

// Pruned returns the number of the iteration's records that were pruned.
func (i Iteration) Pruned() (n int) {
	for _, r := range i.Records {
		if r.Pruned {
			n++
		}
	}
	return n
}

// Pruned returns the number of the run's pruned records, and of all of them.
func (d Detail) Pruned() (pruned, all int) {
	for _, it := range d.History {
		pruned, all = pruned+it.Pruned(), all+len(it.Records)
	}
	return pruned, all
}

// Session describes a session of work on a run and its machine.
type Session struct {
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`
	CPU      float64   `json:"cpu_seconds"` // of the whole process
	Peak     int64     `json:"peak_bytes"`  // of the whole process
	Host     string    `json:"host"`
	PID      int       `json:"pid"`
	Go       string    `json:"go"`
	Platform string    `json:"platform"`
	Revision string    `json:"revision"`
	Dirty    bool      `json:"dirty"`
	From     int       `json:"from"` // iterations done when it began
	To       int       `json:"to"`

	// Code is the code beside this program, nil if it is unknown.
	Code *tracker.Code `json:"code,omitempty"`

	// State says whether the session is running or how it ended; empty if an older podtrack recorded it. A vanished
	// session lasted until its last heartbeat.
	State    tracker.SessionState `json:"state,omitempty"`
	Signal   string               `json:"signal,omitempty"`
	Error    string               `json:"error,omitempty"`
	Saved    *time.Time           `json:"saved,omitempty"`    // when its work was last saved
	Position *Position            `json:"position,omitempty"` // saved position in iteration To
}

// Position is the progress within a stage.
type Position struct {
	Stage string `json:"stage"`
	Part  int64  `json:"part"`
	Parts int64  `json:"parts"`
}

// Describe reads a run with its iterations.
func Describe(tx *tracker.Tx, r Run) (Detail, error) {
	d := Detail{Run: r, History: []Iteration{}, Sessions: []Session{}}
	iterations, err := tx.ReadIterations(r.ID)
	if err != nil {
		return d, err
	}
	tx.LocateRecords(iterations)
	j, look := rejectionReader{run: r}, warnings.Reader{}
	for k, it := range iterations {
		row, factors, err := describeIteration(tx, r, k, it)
		if err != nil {
			return d, err
		}
		if err := look.Add(tx, r.Source.SpecAt(k), it, row.Measures, factors); err != nil {
			return d, r.Failed(k, err)
		}
		if row.Rejected, err = j.recorded(tx, k, it); err != nil {
			return d, err
		}
		d.History = append(d.History, row)
	}
	d.Warnings = look.Warnings()
	if len(iterations) > 0 {
		d.Levels = stages.LevelsOf(r.Source, len(iterations))
	}
	sessions, err := tx.ReadSessions(r.ID)
	d.Warnings = slices.Insert(d.Warnings, 0, warnings.Rechecked(sessions)...)
	for _, s := range sessions {
		d.Sessions = append(d.Sessions, describeSession(s))
	}
	return d, err
}

// describeIteration returns an iteration, and its factors unless they were pruned.
func describeIteration(
	tx *tracker.Tx, r Run, k int, it schema.Iteration,
) (row Iteration, factors *schema.Factors, err error) {
	row = Iteration{K: k, Link: it.Link, Steps: r.Source.SpecAt(k).Steps, Cost: map[string]float64{}}
	measures, err := tracker.LoadOnly(tx, it, schema.KindMeasures, schema.DecodeMeasures)
	if err != nil {
		return row, nil, err
	}
	if row.ExternalMeasures, err = externalMeasuresOf(tx, it); err != nil {
		return row, nil, err
	}
	f, err := tracker.LoadOnly(tx, it, schema.KindFactors, schema.DecodeFactors)
	known := !errors.Is(err, tracker.ErrPruned)
	if err != nil && known {
		return row, nil, err
	}
	row.Measures, row.Sigma = measures, f.Sigma
	if known {
		factors = &f
	}
	if known && len(it.RecordsOf(schema.KindRows)) > 0 {
		if row.Eigenpurposes, err = eigenpurposes(tx, r.Source.SpecAt(k), k, it, f); err != nil {
			return row, nil, err
		}
	}
	for _, e := range it.Records {
		bytes, stored, err := tx.RecordSizes(e.Name)
		if err != nil && !errors.Is(err, tracker.ErrPruned) {
			return row, nil, err
		}
		row.Records = append(row.Records, Record{
			Kind: e.Kind, Digest: e.Name, Bytes: bytes, Stored: stored, Pruned: err != nil,
		})
	}
	cost, err := tx.ReadCost(r.ID, k)
	for stage, ns := range cost.Stages {
		row.Cost[stage] = float64(ns) / 1e9
	}
	return row, factors, err
}

func eigenpurposes(
	tx *tracker.Tx, spec schema.Spec, k int, it schema.Iteration, f schema.Factors,
) (selected []Eigenpurpose, err error) {
	purposes, err := recorded.LoadPurposes(tx, spec, it, f)
	if err != nil {
		return nil, err
	}
	directions := selection.NewDirections(spec, k, f)
	for _, p := range purposes {
		if p.Sign > 0 {
			selected = append(selected, Eigenpurpose{J: p.J, Sigma: p.Sigma, Vector: directions.Signed(p.J-1, p.Sign)})
		}
	}
	return selected, nil
}

// LoadWarnings finds the warnings about a run, and sets r.Warnings.
func LoadWarnings(tx *tracker.Tx, r *Run) (err error) {
	r.Warnings, err = warnings.Read(tx, r.Source)
	if err != nil {
		return tracker.WithRepairHint(fmt.Errorf("run %s, %w", r.Label(), err), r.Label())
	}
	return nil
}

func describeSession(s tracker.Session) Session {
	d := Session{
		Started: time.Unix(0, s.Started).UTC(), Seconds: s.Duration().Seconds(), CPU: float64(s.CPU) / 1e9,
		Peak: s.Peak, Host: s.Host, PID: s.PID, Go: s.Go, Platform: s.OS + "/" + s.Arch, Revision: s.Revision,
		Dirty: s.Dirty, From: s.From, To: s.To, State: s.State, Signal: s.Signal, Error: s.Error, Code: s.Code,
	}
	if s.Level != "" {
		d.Platform += "/" + s.Level
	}
	if s.Saved != 0 {
		d.Saved = new(time.Unix(0, s.Saved).UTC())
	}
	if s.Stage != "" {
		d.Position = &Position{s.Stage, s.Part, s.Parts}
	}
	return d
}
