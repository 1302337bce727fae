package api

import (
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// maxPlans is the largest number of tags in an answer: those with the newest plans.
const maxPlans = 100

// listedPlans are the tags with plans that the page lists.
type listedPlans struct {
	Total int          `json:"total"`
	Plans []listedPlan `json:"plans"`
}

// listedPlan is a tag with plans, as the page lists it.
type listedPlan struct {
	outlook.Progress
	Text  string  `json:"text"`  // the progress in words
	Share float64 `json:"share"` // share of the planned iterations that are done, from 0 to 1
}

// plans returns the progress of the tags with plans whose runs match the filter, as podtrack status --json prints it.
// It reads no runs if no tag matches.
func (s *server) plans(r *request) (reply.Answer, error) {
	if err := outlook.CheckSelection(r.query["q"]); err != nil {
		return reply.Answer{}, err
	}
	var tags []outlook.PlannedTag
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		tags, _, err = outlook.SelectPlanned(tx, r.query["q"])
		return err
	})
	if err != nil {
		return reply.Answer{}, err
	}
	doc := listedPlans{Total: len(tags), Plans: []listedPlan{}}
	if len(tags) == 0 {
		return reply.JSON(doc)
	}
	tags = tags[:min(len(tags), maxPlans)]
	runs, err := s.plannedRuns(r, tags)
	if err != nil {
		return reply.Answer{}, err
	}
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

// plannedRuns returns the runs of the store, and those that the plans' folders have beyond it.
func (s *server) plannedRuns(r *request, tags []outlook.PlannedTag) ([]report.Run, error) {
	all, err := s.selected(r.Context(), nil, "")
	if err != nil {
		return nil, err
	}
	return all.runs, nil
}
