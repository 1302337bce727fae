package api

import (
	"cmp"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// found is an option of a run.
type found struct {
	run    *recorded.Records
	ref    report.Ref
	at     int // its index in the iteration
	option *schema.Option
}

// findOption reads the option that the path names, by its number or by its iteration and direction. Signs and
// directions of options are known only from their records, of which it reads as few as it can.
func (s *server) findOption(r *request) (f found, err error) {
	if f.ref, err = pathRef(r); err != nil {
		return f, err
	}
	if f.run, err = s.open(r, f.ref.Run); err != nil {
		return f, err
	}
	if f.ref, err = report.ResolveRef(f.run, f.ref); err != nil {
		return f, err
	}
	if err := f.run.CheckIteration(f.ref.K); err != nil {
		return f, err
	}
	err = f.run.View(func(tx *tracker.Tx) error { return f.search(tx) })
	if err != nil {
		return f, f.run.WrapError(f.ref.K, err)
	}
	if f.option != nil {
		return f, nil
	}
	return f, report.NoOptionError(f.run, f.ref)
}

// search reads options of the iteration until it has the one of f's reference, none if there is no such option. They
// are in order of their directions, + before −.
func (f *found) search(tx *tracker.Tx) error {
	names := f.run.Iterations[f.ref.K].RecordsOf(schema.KindOption)
	for low, high := 0, len(names); low < high; {
		at := (low + high) / 2
		o, err := recorded.LoadOption(tx, f.run.Env, names[at])
		if err != nil {
			return err
		}
		switch order := cmp.Or(cmp.Compare(o.Purpose.J, f.ref.J), -cmp.Compare(o.Purpose.Sign, f.ref.Sign)); {
		case order == 0:
			f.at, f.option = at, o
			return nil
		case order < 0:
			low = at + 1
		default:
			high = at
		}
	}
	return nil
}

// number returns the option's number among all of the run.
func (f found) number() int { return f.run.FirstNumber(f.ref.K) + f.at }

// purpose is an eigenpurpose as JSON documents have it.
type purpose struct {
	J      int       `json:"j"`
	Sign   int       `json:"sign"`
	Sigma  float64   `json:"sigma"`
	Vector []float64 `json:"vector"`
}

// option returns an option's purpose, its certificate and what is needed to draw it.
func (s *server) option(r *request) (any, error) {
	f, err := s.findOption(r)
	if err != nil {
		return nil, err
	}
	env, p := f.run.Env, f.option.Purpose
	return struct {
		Option      string             `json:"option"`
		Run         schema.Digest      `json:"run"`
		K           int                `json:"k"`
		Number      int                `json:"number"`
		Purpose     purpose            `json:"purpose"`
		Features    []string           `json:"features"`
		Certificate schema.Certificate `json:"certificate"`
		States      int                `json:"states"`
		Method      schema.Method      `json:"method"`
	}{
		report.OptionRef(f.run.Label(), f.ref.K, p.J, p.Sign), f.run.ID, f.ref.K, f.number(),
		purpose{p.J, p.Sign, p.Sigma, p.Vector}, env.Features()[:len(p.Vector)],
		f.option.Certificate, len(f.option.Policy), cmp.Or(f.run.SpecAt(f.ref.K).Method, schema.POD),
	}, nil
}
