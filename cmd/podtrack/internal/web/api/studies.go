package api

import (
	"cmp"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// listedStudy is a study of the store, as the page lists it.
type listedStudy struct {
	Study string `json:"study"`
	Title string `json:"title"`
}

// studies returns the studies of the store, by name; none if there is no store yet.
func (s *server) studies(r *request) (any, error) {
	all := []listedStudy{}
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		studies, err := tx.Studies()
		for _, plan := range studies {
			all = append(all, listedStudy{plan.Study.Name, plan.Study.Title})
		}
		return err
	})
	if errors.Is(err, tracker.ErrNoStore) {
		err = nil
	}
	return all, err
}

// studyProgress is how many runs of a variant in a setting there are.
type studyProgress struct {
	Setting    string `json:"setting"` // as people read it
	Variant    string `json:"variant"`
	Planned    int    `json:"planned"`
	Complete   int    `json:"complete"`
	Incomplete int    `json:"incomplete"` // begun, but not complete
}

// study returns the document of podtrack compare study=NAME --json, what its text says, and how far each cell of the
// study is.
func (s *server) study(r *request) (any, error) {
	plan, digest, runs, err := s.studyRuns(r)
	if err != nil {
		return nil, err
	}
	if err := tooMany(plan.Len(), "planned runs", s.limits.runs); err != nil {
		return nil, err
	}
	c, err := group.CompareStudy(r.Context(), s.Store, []string{report.FormatTerm("study", plan.Study.Name)})
	if errors.Is(err, group.ErrEmpty) { // planned, and not made yet
		c, err = group.NewStudyComparison(plan, digest), nil
	}
	if err != nil {
		return nil, err
	}
	return struct {
		*group.StudyComparison
		State    []string                 `json:"state"`
		Sections []groupview.StudySection `json:"sections"`
		Progress []studyProgress          `json:"progress"`
	}{c, groupview.StudyState(c), groupview.StudySections(c), progressOf(plan, runs)}, nil
}

// studyRuns returns the study that a request names, its digest and its runs.
func (s *server) studyRuns(r *request) (plan *runset.Plan, digest schema.Digest, runs []report.Run, err error) {
	name := r.one("name", "")
	if name == "" {
		r.refuse("/api/studies lists them", "no study is named")
	}
	if r.err != nil {
		return nil, digest, nil, r.err
	}
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		plan, digest, err = tx.ReadStudy(name)
		return err
	})
	if err != nil {
		return nil, digest, nil, err
	}
	l, err := s.selected(r.Context(), []string{report.FormatTerm("study", name)}, "")
	if err != nil {
		return nil, digest, nil, err
	}
	return plan, digest, l.runs, nil
}

// progressOf counts the runs of each cell of a study, in the order of its settings and variants.
func progressOf(plan *runset.Plan, runs []report.Run) []studyProgress {
	order := func(a, b runset.Cell) int { return cmp.Or(a.Setting-b.Setting, a.Variant-b.Variant) }
	cells := slices.SortedFunc(slices.Values(plan.Study.Cells), order)
	all := make([]studyProgress, len(cells))
	for i, c := range cells {
		all[i] = studyProgress{Setting: plan.Study.Settings[c.Setting].Text(), Variant: plan.Study.Variants[c.Variant].Text(),
			Planned: plan.Seeds.Len()}
	}
	for _, run := range runs {
		for _, p := range run.Places {
			if i, found := slices.BinarySearchFunc(cells, p.Cell, order); found && p.Study == plan.Study.Name {
				if run.Iterations >= plan.Iterations {
					all[i].Complete++
				} else {
					all[i].Incomplete++
				}
			}
		}
	}
	return all
}

// aboutStudy returns the study that a request names, and its runs.
func (s *server) aboutStudy(r *request) (any, error) {
	_, digest, runs, err := s.studyRuns(r)
	return []any{digest, runs}, err
}
