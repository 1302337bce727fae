package api

import (
	"cmp"
	"sort"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// purpose is an eigenpurpose as JSON documents have it.
type purpose struct {
	J      int       `json:"j"`
	Sign   int       `json:"sign"`
	Sigma  float64   `json:"sigma"`
	Vector []float64 `json:"vector"`
}

// option returns the purpose of the option that the path names, by its number or by its iteration and direction, its
// certificate and what is needed to draw it.
func (s *server) option(r *request) (any, error) {
	ref, err := pathRef(r)
	if err != nil {
		return nil, err
	}
	run, err := s.open(r, ref.Run)
	if err == nil {
		ref, err = report.ResolveRef(run, ref)
	}
	if err == nil {
		err = run.CheckIteration(ref.K)
	}
	if err != nil {
		return nil, err
	}
	var at int
	var o *schema.Option
	err = run.View(func(tx *tracker.Tx) (err error) {
		at, o, err = searchOption(tx, run, ref)
		return err
	})
	switch {
	case err != nil:
		return nil, run.WrapError(ref.K, err)
	case o == nil:
		return nil, report.NoOptionError(run, ref)
	}
	p := o.Purpose
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
		report.OptionRef(run.Label(), ref.K, p.J, p.Sign), run.ID, ref.K, run.FirstNumber(ref.K) + at,
		purpose{p.J, p.Sign, p.Sigma, p.Vector}, run.Env.Features()[:len(p.Vector)],
		o.Certificate, len(o.Policy), cmp.Or(run.SpecAt(ref.K).Method, schema.POD),
	}, nil
}

// searchOption returns the option of a reference and its index in the iteration, nil if there is no such option. Signs
// and directions of options are known only from their records, of which it reads as few as it can: they are in order
// of their directions, + before −.
func searchOption(tx *tracker.Tx, run *recorded.Records, ref report.Ref) (at int, o *schema.Option, err error) {
	names := run.Iterations[ref.K].RecordsOf(schema.KindOption)
	at, _ = sort.Find(len(names), func(i int) int {
		read, failed := recorded.LoadOption(tx, run.Env, names[i])
		if failed != nil {
			err = cmp.Or(err, failed)
			return 0
		}
		order := cmp.Or(cmp.Compare(ref.J, read.Purpose.J), -cmp.Compare(ref.Sign, read.Purpose.Sign))
		if order == 0 {
			o = read
		}
		return order
	})
	return at, o, err
}
