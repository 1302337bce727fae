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
	}{replay.ThisVersions(), filepath.Base(s.Store.Path())})
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
	revision, runs, err := s.selected(r.Context(), r.query["q"], sort)
	if err != nil {
		return answer{}, err
	}
	total := int64(len(runs))
	from := min(offset, total)
	return document(struct {
		Total    int          `json:"total"`
		Revision string       `json:"revision"`
		Runs     []report.Run `json:"runs"`
	}{len(runs), revision, runs[from:min(from+limit, total)]})
}

// field is a field of some runs' specs.
type field struct {
	Field  string  `json:"field"`
	Values []value `json:"values"`
	More   int     `json:"more,omitempty"` // values beyond those
}

type value struct {
	Value string `json:"value"`
	Runs  int    `json:"runs"`
}

const maxValues = 50

// fields are the fields of the selected runs' specs, each with its values in
// rising order.
func (s *server) fields(r *request) (answer, error) {
	_, runs, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return answer{}, err
	}
	fields := []field{}
	for _, name := range report.SpecFields(runs) {
		fields = append(fields, countValues(runs, name))
	}
	return document(fields)
}

func countValues(runs []report.Run, name string) field {
	counts := map[string]int{}
	for _, r := range runs {
		text, _ := r.Spec.Get(name)
		counts[text]++
	}
	f := field{Field: name, Values: []value{}}
	for _, text := range report.Values(runs, name) {
		f.Values = append(f.Values, value{text, counts[text]})
	}
	if f.More = len(f.Values) - maxValues; f.More < 0 {
		f.More = 0
	}
	f.Values = slices.Clip(f.Values[:len(f.Values)-f.More])
	return f
}

// run is podtrack show --json.
func (s *server) run(r *request) (answer, error) {
	var d report.Detail
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		run, err := report.One(tx, r.PathValue("run"))
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
	rows, err := report.OptionsBy(run.View, run.Run)
	if err != nil {
		return answer{}, err
	}
	return document(append([]report.Option{}, rows...))
}
