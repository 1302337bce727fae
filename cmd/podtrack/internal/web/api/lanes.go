package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Limits on lanes: how many an answer has, and how many bytes of them are kept in memory.
const (
	pageLanes    = 100
	maxLanes     = 500
	maxLaneBytes = 64 << 20
	maxFind      = 4096 // bytes
)

// laneCache keeps the lanes of the runs that were asked for last. A client reads them in parts.
type laneCache struct {
	mu   sync.Mutex
	kept lru[string, []diff.Lane]
}

// newLaneCache returns an empty cache.
func newLaneCache() *laneCache { return &laneCache{kept: newLRU[string, []diff.Lane](maxLaneBytes)} }

// lanes returns a part of a run's lineages as rows of a drawing: all, or those that match one of the terms of find.
func (s *server) lanes(r *request) (reply.Answer, error) {
	find, err := r.one("find", "")
	if err != nil {
		return reply.Answer{}, err
	}
	if len(find) > maxFind {
		return reply.Answer{}, schema.Hint(reply.Errorf(http.StatusBadRequest, "find has %d bytes", len(find)),
			"use up to %d", maxFind)
	}
	offset, err := r.number("offset", 0, 0, maxOffset)
	if err != nil {
		return reply.Answer{}, err
	}
	limit, err := r.number("limit", pageLanes, 0, maxLanes)
	if err != nil {
		return reply.Answer{}, err
	}
	runs, err := s.named(r, r.PathValue("run"))
	if err != nil {
		return reply.Answer{}, err
	}
	lanes, err := s.allLanes(r, runs[0])
	if err != nil {
		return reply.Answer{}, err
	}
	lanes = findLanes(lanes, find)
	from := min(int(offset), len(lanes))
	return reply.JSON(struct {
		Total      int         `json:"total"`
		Iterations int         `json:"iterations"` // of the run
		Lanes      []diff.Lane `json:"lanes"`
	}{len(lanes), runs[0].Iterations, append([]diff.Lane{}, lanes[from:from+min(int(limit), len(lanes)-from)]...)})
}

// allLanes returns all lanes of a run, from the cache if they are there. A run's spec and its number of iterations
// determine them.
func (s *server) allLanes(r *request, of report.Run) ([]diff.Lane, error) {
	key, c := fmt.Sprint(of.ID, of.Iterations), s.laneCache
	c.mu.Lock()
	lanes, found := c.kept.get(key)
	c.mu.Unlock()
	if found {
		return lanes, nil
	}
	run, err := s.openToCompare(r, of.ID.String())
	if err != nil {
		return nil, err
	}
	if lanes, err = run.Lanes(r.Context(), diff.Limits{}); err != nil {
		return nil, err
	}
	size := int64(0)
	for _, l := range lanes {
		size += int64(128 + len(l.Name) + 8*cap(l.Strip) + 64*cap(l.Cells))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, found = c.kept.get(key); !found && len(run.Iterations) == of.Iterations {
		c.kept.put(key, lanes, size)
	}
	return lanes, nil
}

// findLanes returns the lanes that match terms with commas between them, in the order of the terms: an option, K/J±
// or #N, a direction, K/J, or a part of a lane's name.
func findLanes(lanes []diff.Lane, find string) []diff.Lane {
	if strings.TrimSpace(find) == "" {
		return lanes
	}
	var found []int
	taken := make([]bool, len(lanes))
	for _, text := range strings.Split(find, ",") {
		if text = strings.ToLower(strings.TrimSpace(text)); text == "" {
			continue
		}
		term := parseLaneTerm(text)
		for i, l := range lanes {
			if !taken[i] && term.matches(l) {
				found, taken[i] = append(found, i), true
			}
		}
	}
	chosen := make([]diff.Lane, len(found))
	for i, at := range found {
		chosen[i] = lanes[at]
	}
	return chosen
}

// laneTerm is a term of a search: a part of a name, a direction or the number of an option.
type laneTerm struct {
	name       string // "" for the others
	k, j       int    // 0 and 0 for a number
	number     int
	impossible bool // it is about no lane
}

// parseLaneTerm reads a term in lower case.
func parseLaneTerm(text string) laneTerm {
	if ref, err := report.ParseRef("x:" + text); err == nil && ref.ByNumber {
		return laneTerm{number: ref.Number}
	}
	if k, j, found := strings.Cut(strings.TrimRight(text, "+-−"), "/"); found {
		ref := laneTerm{}
		var errK, errJ error
		ref.k, errK = strconv.Atoi(k)
		ref.j, errJ = strconv.Atoi(j)
		ref.impossible = errK != nil || errJ != nil || ref.j < 1
		return ref
	}
	return laneTerm{name: text}
}

// matches reports whether the term is about a lane.
func (l laneTerm) matches(lane diff.Lane) bool {
	switch {
	case l.impossible:
		return false
	case l.name != "":
		return strings.Contains(strings.ToLower(lane.Name), l.name)
	case l.j > 0:
		at := l.k - lane.First
		return at >= 0 && at < len(lane.Cells) && lane.Cells[at].J == l.j
	}
	return slices.ContainsFunc(lane.Cells, func(c diff.LaneCell) bool {
		return c.Number != nil && *c.Number <= l.number && l.number < *c.Number+len(c.Signs)
	})
}
