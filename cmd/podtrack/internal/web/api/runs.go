package api

import (
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// version returns the document of podtrack --version --json, and the name of the store.
func (s *server) version(*request) (any, error) {
	return struct {
		replay.Versions
		Store string `json:"store"` // the file's name without its folder
	}{replay.CurrentVersions(), filepath.Base(s.Store.Path())}, nil
}

// glossary returns every word and column that tables and the page show.
func (s *server) glossary(*request) (any, error) { return s.Glossary, nil }

// Limits of the list of runs.
const (
	pageRuns    = 200     // runs in an answer if the request gives no limit
	maxPageRuns = 1000    // largest limit
	maxOffset   = 1 << 30 // largest offset: an int has it on every platform
)

// runs returns a page of podtrack ls --json.
func (s *server) runs(r *request) (any, error) {
	sort, own, measures := r.one("sort", ""), r.isOn("own"), r.query["measure"]
	offset, limit := r.number("offset", 0, maxOffset), r.number("limit", pageRuns, maxPageRuns)
	for _, name := range measures {
		if !report.IsRecorded(name) {
			r.refuse(textfmt.DidYouMean(name, "measures", schema.MeasureNames()), "no measure %q", name)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	total, revision, runs, err := s.part(r, sort, offset, limit)
	if err != nil {
		return nil, err
	}
	listed, err := tracker.Read(s.Store.Within(r.Context()), func(tx *tracker.Tx) ([]listedRun, error) {
		return readListed(tx, runs, measures, own)
	})
	return struct {
		Total    int         `json:"total"`
		Revision string      `json:"revision"`
		Runs     []listedRun `json:"runs"`
	}{total, revision, listed}, err
}

// part returns up to limit of the selected runs, from offset on, and their total number.
// Without a filter and an order it reads only those runs, which is fast.
func (s *server) part(
	r *request, sort string, offset, limit int,
) (total int, revision string, runs []report.Run, err error) {
	if sort == "" && !r.query.Has("q") {
		return s.newest(r, offset, limit)
	}
	l, err := s.selected(r.Context(), r.query["q"], sort)
	if err != nil {
		return 0, "", nil, err
	}
	total, runs = window(l.runs, offset, limit)
	return total, l.revision, runs, nil
}

// newest returns the newest runs, from the list of all runs if that is in the cache.
func (s *server) newest(r *request, offset, limit int) (total int, revision string, runs []report.Run, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		if revision, err = tx.Revision(); err != nil {
			return err
		}
		if l := s.lists.find(revision, ""); l != nil {
			total, runs = window(l.runs, offset, limit)
			return nil
		}
		total, runs, err = report.LoadNewest(tx, offset, limit)
		return err
	})
	return total, revision, runs, err
}

// window returns the number of runs, and up to limit of them from offset on.
func window(all []report.Run, offset, limit int) (total int, runs []report.Run) {
	from := min(offset, len(all))
	return len(all), all[from : from+min(limit, len(all)-from)]
}

// run returns the document of podtrack show --json.
func (s *server) run(r *request) (any, error) {
	var d struct {
		report.Detail
		Reason string        `json:"reason,omitempty"` // see listedRun
		Places []listedPlace `json:"places,omitempty"` // see listedRun
	}
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, r.PathValue("run"))
		if err != nil {
			return err
		}
		row, err := readRow(tx, run)
		if err != nil {
			return err
		}
		d.Reason, d.Places = row.Reason, row.Places
		d.Detail, err = report.Describe(tx, run)
		hints.SetTexts(&d.Run)
		return err
	})
	return d, err
}

// options returns the document of podtrack options --json for one run.
func (s *server) options(r *request) (any, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return nil, err
	}
	rows, err := report.LoadOptions(run.View, run.Run)
	return append([]report.Option{}, rows...), err
}

// exploration returns how a run explored, as podtrack show --exploration --json prints it under "exploration".
func (s *server) exploration(r *request) (any, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return nil, err
	}
	return explore.ReadRun(run.View, run.Run)
}

// fields returns the fields of the selected runs, each with its values.
func (s *server) fields(r *request) (any, error) {
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return nil, err
	}
	return s.readFields(r, l.runs)
}
