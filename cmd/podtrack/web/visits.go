package web

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/schema"
)

// visitsHead is the line of JSON before the visits of a run.
type visitsHead struct {
	States     int     `json:"states"`
	Iterations []int64 `json:"iterations"` // pairs of numbers of each
}

// visits returns how often each iteration visited each state: after a line of JSON pairs of uint32, a state and its
// visits, in ascending order of states within an iteration.
func (s *server) visits(r *request) (answer, error) {
	run, p, _, err := s.walkPart(r)
	if err != nil {
		return answer{}, err
	}
	if p.steps > maxShownSteps {
		return answer{}, schema.Hint(coded(http.StatusConflict, "%d steps", p.steps),
			"visits of up to %d are served; podtrack plot visits %s draws all", maxShownSteps, textform.ShellQuote(run.Label()))
	}
	head, body := visitsHead{States: run.Env().States(), Iterations: []int64{}}, []byte{}
	options := 0
	for k, it := range run.Iterations {
		counts, err := countVisits(r, run, options, it)
		if err != nil {
			return answer{}, fmt.Errorf("run %s, iteration %d: %w", run.Label(), k, err)
		}
		for _, state := range slices.Sorted(maps.Keys(counts)) {
			body = binary.LittleEndian.AppendUint32(body, uint32(state))
			body = binary.LittleEndian.AppendUint32(body, counts[state])
		}
		head.Iterations = append(head.Iterations, int64(len(counts)))
		options += len(it.RecordsOf(schema.KindOption))
	}
	line, err := json.Marshal(head)
	if err != nil {
		return answer{}, fmt.Errorf("write the answer: %w", err)
	}
	return answer{kind: binaryKind, body: slices.Concat(line, []byte("\n"), body)}, nil
}

// countVisits counts the visits of states in an iteration.
func countVisits(r *request, run *diff.Run, options int, it schema.Iteration) (map[int]uint32, error) {
	counts := map[int]uint32{}
	follow := explore.Follow(func(state int, _ int64) { counts[state]++ })
	_, err := replay.VisitStepsWith(run.Viewer(r.Context()), run.Env(), options, it, follow)
	return counts, err
}
