package api

import (
	"net/http"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// version returns the document of podtrack --version --json, and the name of the store.
func (s *server) version(*request) (reply.Answer, error) {
	return reply.JSON(struct {
		replay.Versions
		Store string `json:"store"` // the file's name without its folder
	}{replay.CurrentVersions(), filepath.Base(s.Store.Path())})
}

// glossary returns every word and column that tables and the page show.
func (s *server) glossary(*request) (reply.Answer, error) { return reply.JSON(s.Glossary) }

// Limits of the list of runs.
const (
	pageRuns    = 200     // runs in an answer if the request gives no limit
	maxPageRuns = 1000    // largest limit
	maxOffset   = 1 << 40 // largest offset
)

// runs returns a page of podtrack ls --json.
func (s *server) runs(r *request) (reply.Answer, error) {
	sort, err := r.one("sort", "")
	if err != nil {
		return reply.Answer{}, err
	}
	offset, err := r.number("offset", 0, 0, maxOffset)
	if err != nil {
		return reply.Answer{}, err
	}
	limit, err := r.number("limit", pageRuns, 0, maxPageRuns)
	if err != nil {
		return reply.Answer{}, err
	}
	measures := r.query["measure"]
	if err := checkRecorded(measures); err != nil {
		return reply.Answer{}, err
	}
	own, err := r.isOn("own")
	if err != nil {
		return reply.Answer{}, err
	}
	total, revision, runs, err := s.part(r, sort, int(offset), int(limit))
	if err != nil {
		return reply.Answer{}, err
	}
	var listed []listedRun
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		listed, err = readListed(tx, runs, measures, own)
		return err
	})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(struct {
		Total    int         `json:"total"`
		Revision string      `json:"revision"`
		Runs     []listedRun `json:"runs"`
	}{total, revision, listed})
}

// checkRecorded returns an error unless iterations record all of the measures.
func checkRecorded(measures []string) error {
	for _, name := range measures {
		if !report.IsRecorded(name) {
			return schema.Hint(reply.Errorf(http.StatusBadRequest, "no measure %q", name), "%s",
				textfmt.DidYouMean(name, "measures", schema.MeasureNames()))
		}
	}
	return nil
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
func (s *server) run(r *request) (reply.Answer, error) {
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
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(d)
}

// options returns the document of podtrack options --json for one run.
func (s *server) options(r *request) (reply.Answer, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return reply.Answer{}, err
	}
	rows, err := report.LoadOptions(run.View, run.Run)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(append([]report.Option{}, rows...))
}

// exploration returns how a run explored, as podtrack show --exploration --json prints it under "exploration".
func (s *server) exploration(r *request) (reply.Answer, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return reply.Answer{}, err
	}
	explored, err := explore.ReadRun(run.View, run.Run)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(explored)
}

// fields returns the fields of the selected runs, each with its values.
func (s *server) fields(r *request) (reply.Answer, error) {
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return reply.Answer{}, err
	}
	l.fields.mu.Lock()
	defer l.fields.mu.Unlock()
	if l.fields.fields == nil {
		if l.fields.fields, err = s.readFields(r, l.runs); err != nil {
			return reply.Answer{}, err
		}
	}
	return reply.JSON(l.fields.fields)
}
