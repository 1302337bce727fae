package api

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// envelope is the least and the largest point of each bucket of a walk.
type envelope struct {
	walkHead
	low, high []float64
}

// newEnvelope returns an envelope without points.
func newEnvelope(h walkHead) *envelope {
	n := (h.To - h.From + h.Bucket - 1) / h.Bucket
	e := &envelope{walkHead: h, low: make([]float64, n), high: make([]float64, n)}
	for i := range e.low {
		e.low[i], e.high[i] = math.Inf(1), math.Inf(-1)
	}
	return e
}

// addFirst adds the point before any step.
func (e *envelope) addFirst() {
	if e.Shows == showsStates {
		e.add(0, 1, []int32{0})
	} else {
		e.add(0, 0, []int32{0})
	}
}

// add adds the points from t on. Each of them is base plus an element of x.
func (e *envelope) add(t int64, base int64, x []int32) {
	if t < e.From {
		x, t = x[min(e.From-t, int64(len(x))):], e.From
	}
	x = x[:max(0, min(e.To-t, int64(len(x))))]
	for len(x) > 0 {
		bucket := (t - e.From) / e.Bucket
		n := min(e.From+(bucket+1)*e.Bucket-t, int64(len(x)))
		low, high := x[0], x[0]
		for _, v := range x[1:n] {
			low, high = min(low, v), max(high, v)
		}
		e.low[bucket] = min(e.low[bucket], float64(base+int64(low)))
		e.high[bucket] = max(e.high[bucket], float64(base+int64(high)))
		x, t = x[n:], t+n
	}
}

// maxResets is how many resets a walk's head lists. If there are more, it only counts
// them.
const maxResets = 1000

// reset notes the episodes that begin within a record whose first step leads to point
// from + 1.
func (e *envelope) reset(from int64, resets []reset) {
	for _, r := range resets {
		if t := from + int64(r.at); t < e.From || t >= e.To {
			continue
		} else if e.Episodes++; e.Episodes <= maxResets {
			e.Resets = append(e.Resets, t)
		}
	}
	if e.Episodes > maxResets {
		e.Resets = []int64{}
	}
}

// answer returns the walk's head as a line of JSON, followed by the pairs of numbers.
func (e *envelope) answer() (reply.Answer, error) {
	line, err := json.Marshal(e.walkHead)
	if err != nil {
		return reply.Answer{}, fmt.Errorf("write the answer: %w", err)
	}
	body := append(line, '\n')
	for i := range e.low {
		body = reply.AppendFloats(body, e.low[i], e.high[i])
	}
	return reply.Answer{Kind: reply.BinaryKind, Body: body}, nil
}
