package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxShownSteps bounds the steps that are read for one answer of what happened in each.
const maxShownSteps = 1 << 20

// stepsShown is what the agent did in a part of a walk, whose points are those of [walkHead].
type stepsShown struct {
	From   int64        `json:"from"`   // the first point shown
	To     int64        `json:"to"`     // the end, exclusive
	Bucket int64        `json:"bucket"` // points of a bucket
	Spans  []optionSpan `json:"spans"`  // in order, without gaps
	States []int        `json:"states"` // at each point, and the action taken there; only if a bucket is one point
	Action []int        `json:"actions"`
}

// optionSpan is a part of a walk in which one option executes, in each bucket most of the steps.
type optionSpan struct {
	From   int64  `json:"from"` // the first point
	To     int64  `json:"to"`   // the end, exclusive
	Number int    `json:"number"`
	Option string `json:"option"` // K/J±, empty for primitive actions
}

// steps returns which options executed in a part of a walk, and if each bucket is one step, the states and actions.
func (s *server) steps(r *request) (reply.Answer, error) {
	run, p, head, err := s.walkPart(r)
	if err != nil {
		return reply.Answer{}, err
	}
	if err := head.checkShown(); err != nil {
		return reply.Answer{}, err
	}
	shown := stepsShown{From: head.From, To: head.To, Bucket: head.Bucket, Spans: []optionSpan{}, States: []int{},
		Action: []int{}}
	if err := shown.read(r.Context(), run, p.pieces); err != nil {
		return reply.Answer{}, fmt.Errorf("run %s: %w", run.Label(), err)
	}
	if err := shown.nameOptions(r.Context(), run); err != nil {
		return reply.Answer{}, fmt.Errorf("run %s: %w", run.Label(), err)
	}
	return reply.JSON(shown)
}

// checkShown returns an error for more steps than are served with their options and actions.
func (w walkHead) checkShown() error {
	if w.To-w.From <= maxShownSteps {
		return nil
	}
	return schema.Hint(reply.Errorf(http.StatusConflict, "%d steps", w.To-w.From),
		"options and actions of up to %d are served; ask for a part of them", maxShownSteps)
}

// read reads the steps at the points shown.
func (s *stepsShown) read(ctx context.Context, run *recorded.Records, pieces []piece) error {
	b := bucketCount{shown: s, counts: map[int]int64{}}
	for i, p := range pieces {
		isLast := i == len(pieces)-1
		if p.to < s.From || p.to == s.From && !isLast || p.from >= s.To {
			continue
		}
		last, err := run.VisitPart(p.k, p.part, func(step recorded.Step) { b.add(p.from+step.T, step) })
		if err != nil {
			return fmt.Errorf("iteration %d: %w", p.k, err)
		}
		if s.Bucket == 1 && isLast && s.To > p.to {
			s.States = append(s.States, last)
		}
	}
	b.flush()
	return nil
}

// bucketCount counts the steps of each option in a bucket.
type bucketCount struct {
	shown  *stepsShown
	bucket int64
	counts map[int]int64 // steps by option
}

// add adds the step that is taken at a point.
func (b *bucketCount) add(point int64, s recorded.Step) {
	w := b.shown
	if point < w.From || point >= w.To {
		return
	}
	if w.Bucket == 1 {
		w.States, w.Action = append(w.States, s.State), append(w.Action, s.Action)
	}
	if at := (point - w.From) / w.Bucket; at != b.bucket {
		b.flush()
		b.bucket = at
	}
	b.counts[s.Option]++
}

// flush adds the bucket to the spans: that of the option with the most steps, of several the one with the lowest
// number.
func (b *bucketCount) flush() {
	if len(b.counts) == 0 {
		return
	}
	most := schema.Primitive
	for option, n := range b.counts {
		if n > b.counts[most] || n == b.counts[most] && option < most {
			most = option
		}
	}
	clear(b.counts)
	w := b.shown
	from := w.From + b.bucket*w.Bucket
	to := min(from+w.Bucket, w.To)
	if n := len(w.Spans); n > 0 && w.Spans[n-1].Number == most {
		w.Spans[n-1].To = to
		return
	}
	w.Spans = append(w.Spans, optionSpan{From: from, To: to, Number: most})
}

// nameOptions sets the names of the spans' options.
func (s *stepsShown) nameOptions(ctx context.Context, run *recorded.Records) error {
	names := map[int]string{schema.Primitive: ""}
	for i := range s.Spans {
		number := s.Spans[i].Number
		name, known := names[number]
		if !known {
			var err error
			if name, err = optionName(ctx, run, number); err != nil {
				return err
			}
			names[number] = name
		}
		s.Spans[i].Option = name
	}
	return nil
}

// optionName returns K/J± of the option with a number.
func optionName(ctx context.Context, run *recorded.Records, number int) (name string, err error) {
	k, at, err := report.FindOption(run, number)
	if err != nil {
		return "", err
	}
	err = run.View(func(tx *tracker.Tx) error {
		o, err := recorded.LoadOption(tx, run.Env, run.Iterations[k].RecordsOf(schema.KindOption)[at])
		if err == nil {
			name = fmt.Sprintf("%d/%s", k, report.OptionName(o.Purpose.J, o.Purpose.Sign))
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("iteration %d: %w", k, err)
	}
	return name, nil
}
