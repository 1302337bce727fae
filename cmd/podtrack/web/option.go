package web

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxStates bounds what is read at once of an environment: 32 MiB of values.
const maxStates = 1 << 22

// open returns the run that a reference names. It fails if the run is too large for a
// page.
func (s *server) open(r *request, ref string) (*diff.Run, error) {
	var run report.Run
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		run, err = report.LoadRun(tx, ref)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := tooLarge(run); err != nil {
		return nil, err
	}
	return diff.OpenRun(r.Context(), s.Store, run)
}

// tooLarge returns an error if a run's environment has more than maxStates states.
func tooLarge(r report.Run) error {
	env, err := pod.NewEnvForSpec(r.Spec)
	if err == nil && env.States() > maxStates {
		err = schema.Hint(coded(http.StatusConflict,
			"run %s: its environment has %d states, and only up to %d are served", r.Label(), env.States(), maxStates),
			"the command line has no such bound: podtrack show %s, podtrack options %s",
			schema.ShellQuote(r.Label()), schema.ShellQuote(r.Label()))
	}
	return err
}

// found is an option of a run.
type found struct {
	run    *diff.Run
	ref    report.Ref
	at     int // its index in the iteration
	option *schema.Option
}

// findOption reads the option that the path names. Signs and numbers of options are
// known only from their records, so it reads them in turn.
func (s *server) findOption(r *request) (f found, err error) {
	if f.ref, err = report.ParseRef(r.PathValue("run") + ":" + r.PathValue("k") + "/" + r.PathValue("j")); err != nil {
		return f, err
	}
	if f.run, err = s.open(r, f.ref.Run); err != nil {
		return f, err
	}
	if err := f.run.CheckIteration(f.ref.K); err != nil {
		return f, err
	}
	for i, name := range f.run.Iterations[f.ref.K].RecordsOf(schema.KindOption) {
		err := f.run.View(r.Context(), func(tx *tracker.Tx) (err error) {
			f.option, err = replay.LoadOption(tx, f.run.Env(), name)
			return err
		})
		if err != nil {
			return f, fmt.Errorf("run %s, iteration %d: %w", f.run.Label(), f.ref.K, err)
		}
		if p := f.option.Purpose; p.J == f.ref.J && p.Sign == f.ref.Sign {
			f.at = i
			return f, nil
		}
	}
	return f, schema.Hint(fmt.Errorf("iteration %d of run %s %w %s",
		f.ref.K, f.run.Label(), diff.ErrNoOption, report.OptionName(f.ref.J, f.ref.Sign)),
		"podtrack options %s lists them", schema.ShellQuote(f.run.Label()))
}

// purpose is an eigenpurpose as JSON documents have it.
type purpose struct {
	J      int       `json:"j"`
	Sign   int       `json:"sign"`
	Sigma  float64   `json:"sigma"`
	Vector []float64 `json:"vector"`
}

// option returns an option's purpose, its certificate and what is needed to draw it.
func (s *server) option(r *request) (answer, error) {
	f, err := s.findOption(r)
	if err != nil {
		return answer{}, err
	}
	env, p := f.run.Env(), f.option.Purpose
	return document(struct {
		Option      string             `json:"option"`
		Run         schema.Digest      `json:"run"`
		K           int                `json:"k"`
		Purpose     purpose            `json:"purpose"`
		Features    []string           `json:"features"`
		Actions     []string           `json:"actions"`
		Certificate schema.Certificate `json:"certificate"`
		States      int                `json:"states"`
		Method      schema.Method      `json:"method"`
		Plan        *plan              `json:"plan"` // null if states have no place on a plane
	}{
		f.run.OptionRef(f.ref.K, p.J, p.Sign), f.run.ID, f.ref.K, purpose(p), env.Features(), env.Actions(),
		f.option.Certificate, len(f.option.Policy), cmp.Or(f.run.Source.SpecAt(f.ref.K).Method, schema.POD),
		planOf(env),
	})
}
