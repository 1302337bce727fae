package api

import (
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/tracker"
)

// maxPlans is how many tags with plans are listed, those with the newest plans.
const maxPlans = 100

// listedPlan is a tag with plans as the page's list shows it.
type listedPlan struct {
	outlook.Progress
	Text  string  `json:"text"`  // how far it is, in words
	Share float64 `json:"share"` // of its iterations that are made, from 0 to 1
}

// plans returns the progress of the tags with plans whose runs match the filter, as podtrack status --json prints it.
// It reads no runs if no tag matches.
func (s *server) plans(r *request) (reply.Answer, error) {
	doc := struct {
		Total int          `json:"total"`
		Plans []listedPlan `json:"plans"`
	}{Plans: []listedPlan{}}
	if err := outlook.CheckSelection(r.query["q"]); err != nil {
		return reply.Answer{}, err
	}
	var tags []outlook.PlannedTag
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		tags, _, err = outlook.SelectPlanned(tx, r.query["q"])
		return err
	})
	switch doc.Total = len(tags); {
	case err != nil:
		return reply.Answer{}, err
	case len(tags) == 0:
		return reply.JSON(doc)
	}
	all, err := s.selected(r.Context(), nil, "")
	if err != nil {
		return reply.Answer{}, err
	}
	tags = tags[:min(len(tags), maxPlans)]
	var planned []tracker.PlannedTag
	for _, t := range tags {
		for _, p := range t.Plans {
			planned = append(planned, p.PlannedTag)
		}
	}
	runs := outlook.MergeFurthest(all.runs, s.pending.Runs(r.Context(), planned))
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		progress, err := outlook.ComputeProgress(tx, tags, runs, time.Now())
		for _, p := range progress {
			doc.Plans = append(doc.Plans, listedPlan{p, p.Text(), p.Fraction()})
		}
		return err
	})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(doc)
}
