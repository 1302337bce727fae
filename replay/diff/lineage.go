package diff

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker/memory"
)

// Lineages returns the run's directions by the consecutive iterations in which they were found. It
// compares no options.
func (s *Side) Lineages(ctx context.Context, limits Limits) ([]Lineage, error) {
	m, err := s.metric(ctx, s)
	if err == nil {
		err = s.traceLineages(m, len(s.Iterations)-1, limits)
	}
	return s.lineages.list(), err
}

// traceLineages extends the lineages up to iteration k.
func (s *Side) traceLineages(m *metric, k int, limits Limits) error {
	for i := len(s.lineages.lineageOf); i <= k; i++ {
		_, purposes, err := s.Selection(i)
		if err != nil {
			return err
		}
		now := (&optionSet{Purposes: s.withoutRefs(purposes)}).directions(nil)
		from, err := matchPrevious(m, s.lineages.before, now, limits)
		if err != nil {
			return err
		}
		s.lineages.extend(now, from, func(d direction) string {
			return report.OptionRef(s.Label(), i, d.j, 1)
		})
	}
	return nil
}

// matchPrevious returns for each direction of now the index in before that it continues, −1 for
// none.
func matchPrevious(m *metric, before, now []direction, limits Limits) ([]int, error) {
	if len(before) == 0 {
		return slices.Repeat([]int{-1}, len(now)), nil
	}
	imaged, pairs := int64(len(now)+len(before))*int64(m.Coordinates()), int64(len(now))*int64(len(before))
	if err := memory.Check(8 * (imaged + 3*pairs)); err != nil {
		return nil, err
	}
	weights := magnitudes(selection.Cosines(images(m, now), images(m, before)))
	limit := limits.WithDefaults().Cosine
	from := assign(weights, len(now), len(before))
	for i, j := range from {
		if j >= 0 && weights[i][j] < limit {
			from[i] = -1
		}
	}
	return from, nil
}

// lineages holds the lineages of a run's iterations so far. A direction continues the lineage of
// the previous iteration's direction to which it is assigned if their |cos_M| reaches the
// threshold; otherwise it starts a new lineage.
type lineages struct {
	lines     []Lineage
	lineageOf []map[int]int // by iteration: index of the lineage of direction j
	before    []direction
}

// extend adds an iteration, given for each of its directions the previous one that it continues.
func (l *lineages) extend(now []direction, from []int, ref func(direction) string) {
	of := make(map[int]int, len(now))
	for i, d := range now {
		line := len(l.lines)
		if from[i] >= 0 {
			line = l.lineageOf[len(l.lineageOf)-1][l.before[from[i]].j]
		} else {
			l.lines = append(l.lines, Lineage{First: len(l.lineageOf)})
		}
		of[d.j] = line
		l.lines[line].Purposes = append(l.lines[line].Purposes, ref(d))
	}
	l.lineageOf, l.before = append(l.lineageOf, of), now
}

// list returns a copy of the lineages so far.
func (l *lineages) list() []Lineage { return append([]Lineage{}, l.lines...) }

// firstIteration returns the first iteration of the lineage of iteration k's direction j.
func (l *lineages) firstIteration(k, j int) int { return l.lines[l.lineageOf[k][j]].First }

// Lineage is a direction that was found in consecutive iterations.
type Lineage struct {
	First    int      `json:"born"`     // first iteration
	Purposes []string `json:"purposes"` // RUN:K/J+, one an iteration
}
