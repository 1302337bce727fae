package web

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
)

// visitsHead is the line of JSON before the visits of a run.
type visitsHead struct {
	States     int     `json:"states"`
	Iterations []int64 `json:"iterations"` // pairs of numbers of each, or of each frame
	Last       []int   `json:"last"`       // the last iteration of each frame
}

// maxFrames bounds how many frames a client may ask for.
const maxFrames = 1000

// visits returns how often each iteration visited each state: after a line of JSON pairs of uint32, a state and its
// visits, in ascending order of states within an iteration. With frames, these are of at most so many stretches of
// iterations that are equally long.
func (s *server) visits(r *request) (answer, error) {
	run, p, _, err := s.walkPart(r)
	if err != nil {
		return answer{}, err
	}
	frames, err := r.number("frames", 0, 1, maxFrames)
	if err != nil {
		return answer{}, err
	}
	if p.steps > s.limits.steps {
		return answer{}, s.refuseVisits(run, "%d steps", p.steps)
	}
	iterations := len(run.Iterations)
	length := 1
	if frames > 0 {
		length = max(1, (iterations+int(frames)-1)/int(frames))
	}
	head, body := visitsHead{States: run.Env.States(), Iterations: []int64{}, Last: []int{}}, []byte{}
	counter := newVisitCounter(run.Env.States())
	k, err := run.VisitIterations(func(in *replay.Records, k int) error {
		if err := counter.read(in, k); err != nil || (k+1)%length > 0 && k+1 < iterations {
			return err
		}
		head.Iterations, head.Last = append(head.Iterations, int64(len(counter.visited))), append(head.Last, k)
		if body = counter.appendPairs(body); len(body)/pairSize > s.limits.pairs {
			return s.refuseVisits(run, "more than %d pairs of a state and its visits", s.limits.pairs)
		}
		return nil
	})
	if err != nil {
		return answer{}, run.WrapError(k, err)
	}
	line, err := json.Marshal(head)
	if err != nil {
		return answer{}, fmt.Errorf("write the answer: %w", err)
	}
	return answer{kind: binaryKind, body: slices.Concat(line, []byte("\n"), body)}, nil
}

// refuseVisits returns the error for a run with too many visits to serve.
func (s *server) refuseVisits(run *replay.Records, format string, args ...any) error {
	return schema.Hint(coded(http.StatusConflict, format, args...),
		"visits of up to %d steps, in %d pairs, are served; podtrack plot visits %s draws all", s.limits.steps,
		s.limits.pairs, textform.ShellQuote(run.Label()))
}

// pairSize is the length of a state and its visits in bytes.
const pairSize = 4 + 4

// visitCounter counts the visits of states in a stretch of iterations. Its memory is that of the states.
type visitCounter struct {
	counts  []uint32 // by state
	visited []int    // the states with a count
}

// newVisitCounter returns a counter for so many states.
func newVisitCounter(states int) *visitCounter { return &visitCounter{counts: make([]uint32, states)} }

// read counts the visits in iteration k of a run, the next one.
func (c *visitCounter) read(run *replay.Records, k int) error {
	_, err := run.VisitSteps(k, explore.Follow(func(state int, _ int64) {
		if c.counts[state] == 0 {
			c.visited = append(c.visited, state)
		}
		c.counts[state]++
	}))
	return err
}

// appendPairs appends the states with their visits, in ascending order of states, and begins the next stretch.
func (c *visitCounter) appendPairs(body []byte) []byte {
	slices.Sort(c.visited)
	for _, state := range c.visited {
		body = binary.LittleEndian.AppendUint32(body, uint32(state))
		body = binary.LittleEndian.AppendUint32(body, c.counts[state])
		c.counts[state] = 0
	}
	c.visited = c.visited[:0]
	return body
}
