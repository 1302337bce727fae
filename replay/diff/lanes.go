package diff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
)

// Lane is a lineage as one row of a drawing, in which the options of both signs of a direction share a cell.
type Lane struct {
	First int        `json:"born"`  // first iteration
	Name  string     `json:"name"`  // of the first direction: see nameDirection and [NumberNames]
	Strip []float64  `json:"strip"` // of the first direction: see [Strip]
	Cells []LaneCell `json:"cells"` // one an iteration
}

// LaneCell is a direction of an iteration.
type LaneCell struct {
	J      int     `json:"j"`
	Sigma  float64 `json:"sigma"`
	Signs  string  `json:"signs"`            // of the purposes: "+-", "+" or "-"
	Number *int    `json:"number,omitempty"` // of the first option, nil without options
}

// Lanes returns the run's lineages like [Side.Lineages], in the order in which they begin.
func (s *Side) Lanes(ctx context.Context, limits Limits) ([]Lane, error) {
	m, err := s.metric(ctx, s)
	if err != nil {
		return nil, err
	}
	lanes := []Lane{}
	first := recorded.FirstNumbers(s.Iterations)
	for k := range s.Iterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.traceLineages(m, k, limits); err != nil {
			return nil, err
		}
		_, purposes, err := s.Selection(k)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, make([]Lane, len(s.lineages.lines)-len(lanes))...)
		for i, p := range purposes {
			at := s.lineages.lineageOf[k][p.J]
			lane := &lanes[at]
			if lane.Cells == nil {
				lane.First, lane.Name, lane.Strip = k, nameDirection(s.Env.Features(), p.Vector), Strip(p.Vector)
			}
			if last := len(lane.Cells) - 1; last >= 0 && lane.First+last == k {
				lane.Cells[last].Signs += signText(p.Sign)
				continue
			}
			cell := LaneCell{J: p.J, Sigma: p.Sigma, Signs: signText(p.Sign)}
			if envs.HasActions(s.Env) {
				number := first[k] + i
				cell.Number = &number
			}
			lane.Cells = append(lane.Cells, cell)
		}
	}
	numbered := NumberNames()
	for i := range lanes {
		lanes[i].Name = numbered(lanes[i].Name)
	}
	return lanes, nil
}

func signText(sign int) string {
	if sign < 0 {
		return "-"
	}
	return "+"
}

// namedFeatures is the largest number of features in the name of a direction.
const namedFeatures = 3

// NumberNames returns a function that makes names unique: from its second occurrence on a name gets a number, as in
// "+bit3 (2)".
func NumberNames() func(name string) string {
	times := map[string]int{}
	return func(name string) string {
		if times[name]++; times[name] > 1 {
			return fmt.Sprintf("%s (%d)", name, times[name])
		}
		return name
	}
}

// nameDirection returns a name like [NamePurpose] for a direction of either sign: the first feature gets a plus.
func nameDirection(features []string, v []float64) string {
	if name := NamePurpose(features, v); strings.HasPrefix(name, "+") {
		return name
	}
	return NamePurpose(features, withSign(v, -1))
}

// NamePurpose returns a short name of a purpose for people: the features of largest weight with their signs, such as
// "+bit7 −bit6", and an ellipsis if there are more of at least half the largest weight.
func NamePurpose(features []string, v []float64) string {
	order := upTo(len(v))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(v[j]), math.Abs(v[i])) })
	var parts []string
	for _, i := range order {
		if v[i] == 0 || math.Abs(v[i]) < math.Abs(v[order[0]])/2 {
			break
		}
		if len(parts) == namedFeatures {
			parts = append(parts, "…")
			break
		}
		sign := "+"
		if v[i] < 0 {
			sign = "−"
		}
		name := fmt.Sprint(i)
		if i < len(features) {
			name = features[i]
		}
		parts = append(parts, sign+name)
	}
	return strings.Join(parts, " ")
}

// stripWidth is the largest number of weights in a strip.
const stripWidth = 64

// Strip returns the weights of a direction for a thumbnail: relative to the largest of them, with three decimals. If
// there are more than 64, groups of neighbours are reduced to their largest weight.
func Strip(v []float64) []float64 {
	strip := make([]float64, min(len(v), stripWidth))
	largest := 0.0
	for i, x := range v {
		at := i * len(strip) / len(v)
		if math.Abs(x) > math.Abs(strip[at]) {
			strip[at] = x
		}
		largest = max(largest, math.Abs(x))
	}
	for i, x := range strip {
		if largest > 0 {
			strip[i] = math.Round(1000*x/largest)/1000 + 0 // −0 becomes 0
		}
	}
	return strip
}
