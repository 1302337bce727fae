package web

import (
	"path/filepath"
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// version is podtrack version --json, and which store is served.
func (s *server) version(*request) (answer, error) {
	return document(struct {
		replay.Versions
		Store string `json:"store"` // its file, without the folder
	}{replay.CurrentVersions(), filepath.Base(s.Store.Path())})
}

// A page of runs has so many unless the request says how many.
const (
	pageRuns    = 200
	maxPageRuns = 1000
	maxOffset   = 1 << 40
)

// runs is a page of podtrack ls --json.
func (s *server) runs(r *request) (answer, error) {
	sort, err := r.one("sort", "")
	if err != nil {
		return answer{}, err
	}
	offset, err := r.number("offset", 0, 0, maxOffset)
	if err != nil {
		return answer{}, err
	}
	limit, err := r.number("limit", pageRuns, 0, maxPageRuns)
	if err != nil {
		return answer{}, err
	}
	total, revision, runs, err := s.part(r, sort, int(offset), int(limit))
	if err != nil {
		return answer{}, err
	}
	return document(struct {
		Total    int          `json:"total"`
		Revision string       `json:"revision"`
		Runs     []report.Run `json:"runs"`
	}{total, revision, append([]report.Run{}, runs...)})
}

// part is a part of the selected runs. The newest of all are read alone unless all
// have been: they are what a page begins with.
func (s *server) part(r *request, sort string, offset, limit int) (total int, revision string, runs []report.Run, err error) {
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

func window(all []report.Run, offset, limit int) (total int, runs []report.Run) {
	from := min(offset, len(all))
	return len(all), all[from : from+min(limit, len(all)-from)]
}

// run is podtrack show --json.
func (s *server) run(r *request) (answer, error) {
	var d report.Detail
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, r.PathValue("run"))
		if err != nil {
			return err
		}
		d, err = report.Describe(tx, run)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return document(d)
}

// options is podtrack options --json of one run.
func (s *server) options(r *request) (answer, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return answer{}, err
	}
	rows, err := report.LoadOptionsWith(run.View, run.Run)
	if err != nil {
		return answer{}, err
	}
	return document(append([]report.Option{}, rows...))
}

// forks are the runs that were made of one, the newest first, directly or by way of
// others.
func (s *server) forks(r *request) (answer, error) {
	of, err := s.named(r, r.PathValue("run"))
	if err != nil {
		return answer{}, err
	}
	l, err := s.selected(r.Context(), nil, "")
	if err != nil {
		return answer{}, err
	}
	forks := []report.Run{}
	for _, run := range l.runs {
		if slices.ContainsFunc(run.Ancestors, func(a report.Ancestor) bool { return a.Run == of[0].ID }) {
			forks = append(forks, run)
		}
	}
	return document(forks)
}
