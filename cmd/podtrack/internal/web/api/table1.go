package api

import (
	"net/http"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// table1 returns the document of podtrack reproduce table1 --json, over as many seeds
// as the store has in every setting.
func (s *server) table1(r *request) (reply.Answer, error) {
	var t table1.Table
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		seeds, err := table1.CountRecorded(tx)
		if err == nil && seeds == 0 {
			err = schema.Hint(reply.Errorf(
				http.StatusNotFound, "the store does not have the runs of Table 1, not even those of seed 0"),
				"podtrack reproduce table1 --runs 1 makes them in a second, and podtrack reproduce table1 all %s "+
					"of them",
				strconv.Itoa(table1.PaperRuns*len(schema.Readings())*len(table1.Observabilities)))
		}
		if err == nil {
			t, err = table1.Measure(tx, seeds)
		}
		return err
	})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(t)
}
