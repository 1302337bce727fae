package api

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// maxMeans is the largest number of runs of which means are computed.
const maxMeans = 5000

// groupMeans are the means of the runs with a value in a field.
type groupMeans struct {
	Value string              `json:"value"`
	Means map[string]*float64 `json:"means"` // by measure, those that a run has
}

// means returns the means over the runs with each value of a field of what the runs have in their last iterations.
func (s *server) means(r *request) (reply.Answer, error) {
	by, err := r.one("by", "")
	if err == nil {
		_, err = group.ParseBy(by)
	}
	if err != nil {
		return reply.Answer{}, err
	}
	measures := r.query["measure"]
	if err := checkRecorded(measures); err != nil {
		return reply.Answer{}, err
	}
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return reply.Answer{}, err
	}
	if !report.IsKeyOf(l.runs, by) {
		return reply.Answer{}, schema.Hint(reply.Errorf(http.StatusBadRequest, "no field %q", by), "%s",
			textfmt.DidYouMean(by, "fields", report.KeysOf(l.runs)))
	}
	if err := tooMany(len(l.runs), "runs", maxMeans); err != nil {
		return reply.Answer{}, err
	}
	all := []groupMeans{}
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		all, err = meansOf(tx, l.runs, by, measures)
		return err
	})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(all)
}

// meansOf returns the means of measures over the runs with each value of a field.
func meansOf(tx *tracker.Tx, runs []report.Run, by string, measures []string) ([]groupMeans, error) {
	runs = slices.Clone(runs)
	if err := report.LoadColumns(tx, runs, measures); err != nil {
		return nil, err
	}
	all := []groupMeans{}
	at := map[string]int{}
	counts := map[string]float64{} // of values, by group and measure
	for i := range runs {
		values, err := valuesOf(tx, runs[i], by)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if _, had := at[v.text]; !had {
				at[v.text] = len(all)
				all = append(all, groupMeans{v.text, map[string]*float64{}})
			}
			means := all[at[v.text]].Means
			for _, name := range measures {
				if x := runs[i].Measure(name); x != nil {
					key := v.text + "\x00" + name
					counts[key]++
					before := cmp.Or(means[name], new(float64))
					mean := *before + (*x-*before)/counts[key]
					means[name] = &mean
				}
			}
		}
	}
	return all, nil
}

// aboutMeans returns the runs that match a filter, and the studies that they may be part of.
func (s *server) aboutMeans(r *request) (any, error) {
	runs, err := s.aboutSelected(r)
	if err != nil {
		return nil, err
	}
	var studies []tracker.PlannedTag
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		studies, err = tx.ReadPlannedTags()
		return err
	})
	return []any{runs, studies}, err
}
