package web

import (
	"cmp"
	"fmt"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

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
