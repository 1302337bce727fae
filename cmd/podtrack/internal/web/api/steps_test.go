package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/layout"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// stepsOf returns all steps of a run, and its final state.
func stepsOf(t *testing.T, store *tracker.Store, id string) (steps []recorded.Step, last int) {
	t.Helper()
	run, err := report.Open(t.Context(), store, id)
	ok(t, err)
	for k := range run.Iterations {
		ok(t, run.View(func(tx *tracker.Tx) (err error) {
			last, err = run.With(tx.View).VisitSteps(k, func(s recorded.Step) { steps = append(steps, s) })
			return err
		}))
	}
	return steps, last
}

// TestSteps compares states, actions and options at each point with the records.
func TestSteps(t *testing.T) {
	store := filled(t)
	h, run := New(optionsFor(store)), "/api/runs/"+idOf(t, small(1))
	want, last := stepsOf(t, store, idOf(t, small(1)))
	var options []report.Option
	ok(t, json.Unmarshal(ask(h, run+"/options").Body.Bytes(), &options))

	var all stepsShown
	ok(t, json.Unmarshal(ask(h, run+"/steps?width=4000").Body.Bytes(), &all))
	if len(all.States) != 601 || len(all.Action) != 600 || all.States[600] != last {
		t.Fatalf("%d states, %d actions", len(all.States), len(all.Action))
	}
	covered := int64(0)
	for _, s := range all.Spans {
		if s.From != covered {
			t.Fatalf("a span begins at %d, the one before ends at %d", s.From, covered)
		}
		covered = s.To
		name := ""
		if s.Number >= 0 {
			o := options[s.Number]
			name = fmt.Sprintf("%d/%s", o.K, report.OptionName(o.J, o.Sign))
		}
		if s.Option != name {
			t.Errorf("option %d is %q, want %q", s.Number, s.Option, name)
		}
		for i := s.From; i < min(s.To, 600); i++ {
			if step := want[i]; step.Option != s.Number || step.State != all.States[i] || step.Action != all.Action[i] {
				t.Fatalf("point %d: %+v", i, step)
			}
		}
	}
	if covered != 600 && covered != 601 {
		t.Errorf("the spans end at %d", covered)
	}

	var part, coarse stepsShown
	ok(t, json.Unmarshal(ask(h, run+"/steps?k=1&from=10&to=20&width=50").Body.Bytes(), &part))
	if !slices.Equal(part.States, all.States[210:220]) || !slices.Equal(part.Action, all.Action[210:220]) {
		t.Errorf("steps 10 to 19 of iteration 1: %+v", part)
	}
	ok(t, json.Unmarshal(ask(h, run+"/steps?from=200&to=400&width=20").Body.Bytes(), &coarse))
	if len(coarse.States) != 0 || coarse.Bucket != 10 || len(coarse.Spans) > 20 {
		t.Fatalf("buckets of %d: %d states, %d spans", coarse.Bucket, len(coarse.States), len(coarse.Spans))
	}
	for _, s := range coarse.Spans {
		for from := s.From; from < s.To; from += 10 {
			counts, most := map[int]int{}, schema.Primitive
			for _, step := range want[from : from+10] {
				counts[step.Option]++
			}
			for option, n := range counts {
				if n > counts[most] || n == counts[most] && option < most {
					most = option
				}
			}
			if most != s.Number {
				t.Errorf("from %d: option %d, want %d", from, s.Number, most)
			}
		}
	}
	for query, status := range map[string]int{"k=3": 404, "from=601": 400, "from=5&to=5": 400, "primitive=true": 400} {
		wantFailure(t, ask(h, run+"/steps?"+query), status)
	}
}

// TestPrimitiveWalk is the same as the run's own in iteration 0, which has no options, and another one after it.
func TestPrimitiveWalk(t *testing.T) {
	h, target := New(optionsFor(filled(t))), "/api/runs/"+idOf(t, small(1))+"/walk?width=4000"
	own, primitive := readWalk(t, ask(h, target).Body.Bytes()), readWalk(t, ask(h, target+"&primitive=true").Body.Bytes())
	if !slices.Equal(own.low[:201], primitive.low[:201]) || slices.Equal(own.low, primitive.low) ||
		len(own.low) != len(primitive.low) {
		t.Errorf("%v\n%v", own.low, primitive.low)
	}
	for i, x := range primitive.low[1:] {
		if d := x - primitive.low[i]; d != 1 && d != -1 || primitive.high[i] != primitive.low[i] {
			t.Fatalf("step %d moves by %v", i, d)
		}
	}
	part := readWalk(t, ask(h, target+"&primitive=true&k=2&from=10&to=20").Body.Bytes())
	for i, x := range part.low {
		if want := primitive.low[410+i] - primitive.low[400]; x != want {
			t.Errorf("point %d of iteration 2: %v, want %v", 10+i, x, want)
		}
	}
	wantFailure(t, ask(h, target+"&primitive=yes"), 400)
}

// TestLayout places the states that a run visited.
func TestLayout(t *testing.T) {
	store := filled(t)
	h, id := New(optionsFor(store)), idOf(t, small(1))
	var l layout.Layout
	ok(t, json.Unmarshal(ask(h, "/api/runs/"+id+"/layout").Body.Bytes(), &l))
	visited := map[int]bool{}
	steps, last := stepsOf(t, store, id)
	for _, s := range steps {
		visited[s.State] = true
	}
	visited[last] = true
	if len(l.States) != len(visited) || len(l.Places) != len(visited) || len(l.Edges) < len(visited)-1 {
		t.Errorf("%d states, %d places and %d edges of %d visited states", len(l.States), len(l.Places), len(l.Edges),
			len(visited))
	}
}
