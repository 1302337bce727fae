package web

import (
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// maxPlans is how many plans are listed, the newest ones.
const maxPlans = 100

// listedPlan is a plan as the page's list shows it.
type listedPlan struct {
	report.Progress
	Text  string  `json:"text"`  // how far it is, in words
	Share float64 `json:"share"` // of its iterations that are made, from 0 to 1
}

// plans returns the progress of tags that have a plan and match a filter, as podtrack
// ls --watch --json prints it. It reads no runs if no tag has a plan.
func (s *server) plans(r *request) (answer, error) {
	var plans []tracker.TaggedPlan
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		plans, err = tx.ReadPlans()
		return err
	})
	if err != nil {
		return answer{}, err
	}
	doc := struct {
		Total int          `json:"total"`
		Plans []listedPlan `json:"plans"`
	}{Plans: []listedPlan{}}
	if len(plans) == 0 {
		return document(doc)
	}
	chosen, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return answer{}, err
	}
	all, err := s.selected(r.Context(), nil, "")
	if err != nil {
		return answer{}, err
	}
	plans = report.SelectPlans(plans, chosen.runs, r.query["q"])
	doc.Total = len(plans)
	plans = plans[:min(len(plans), maxPlans)]
	runs := report.MergeFurthest(all.runs, s.pending.Runs(r.Context(), plans))
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		for _, p := range report.ComputeProgress(tx, plans, runs, time.Now()) {
			doc.Plans = append(doc.Plans, listedPlan{p, p.Text(), p.Fraction()})
		}
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	return document(doc)
}
