package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
)

// forgery is one lie in a recording: where a replay must find it, and what it
// must say of all stages (see drawn). A stage is judged from its own recorded
// inputs, so a lie shows where it stands and where it is read, and nowhere else.
type forgery struct {
	name string
	lie  func(t *testing.T, r *recording) replay.Difference
	want string
}

func valueEdit(k, part, state, bit int) func(*testing.T, *recording) replay.Difference {
	return func(t *testing.T, r *recording) replay.Difference {
		d := replay.Difference{
			K: k, Stage: stages.Learn, Record: schema.KindValue, Part: part, Field: "value", Index: state,
			Ulps: ulps(1 << bit),
		}
		edit(t, r, k, schema.KindValue, part, schema.DecodeValue, func(v *schema.Value) {
			d.Recomputed = (*v)[state]
			(*v)[state] = flip((*v)[state], bit)
			d.Recorded = (*v)[state]
		})
		return d
	}
}

func factorsEdit(
	k int, change func(*schema.Factors, *replay.Difference),
) func(*testing.T, *recording) replay.Difference {
	return func(t *testing.T, r *recording) replay.Difference {
		d := replay.Difference{K: k, Stage: stages.Factor, Record: schema.KindFactors}
		edit(t, r, k, schema.KindFactors, 0, schema.DecodeFactors, func(f *schema.Factors) { change(f, &d) })
		return d
	}
}

func optionEdit(
	k, part int, change func(*schema.Option, *replay.Difference),
) func(*testing.T, *recording) replay.Difference {
	return func(t *testing.T, r *recording) replay.Difference {
		d := replay.Difference{K: k, Stage: stages.Learn, Record: schema.KindOption, Part: part}
		edit(t, r, k, schema.KindOption, part, schema.DecodeOption, func(o *schema.Option) { change(o, &d) })
		return d
	}
}

func walkEdit(
	k, part int, change func(*schema.Transitions, *replay.Difference),
) func(*testing.T, *recording) replay.Difference {
	return func(t *testing.T, r *recording) replay.Difference {
		d := replay.Difference{K: k, Stage: stages.Collect, Record: schema.KindTransitions, Part: part}
		edit(t, r, k, schema.KindTransitions, part, schema.DecodeTransitions, func(x *schema.Transitions) {
			change(x, &d)
		})
		return d
	}
}

func measuresEdit(
	k int, change func(*schema.Measures, *replay.Difference),
) func(*testing.T, *recording) replay.Difference {
	return func(t *testing.T, r *recording) replay.Difference {
		d := replay.Difference{K: k, Stage: stages.Measure, Record: schema.KindMeasures}
		edit(t, r, k, schema.KindMeasures, 0, schema.DecodeMeasures, func(m *schema.Measures) { change(m, &d) })
		return d
	}
}

// floatEdit flips a bit of a float of a record.
func floatEdit(x *float64, bit int, d *replay.Difference, field string, index int) {
	d.Field, d.Index, d.Recomputed = field, index, *x
	a := *x
	*x = flip(*x, bit)
	d.Recorded = *x
	if bit == 63 {
		d.Ulps = ulps(2 * math.Float64bits(math.Abs(a)))
	} else {
		d.Ulps = ulps(1 << bit)
	}
}

// largest returns the position of the entry of largest magnitude.
func largest(xs []float64) int {
	best := 0
	for i, x := range xs {
		if math.Abs(x) > math.Abs(xs[best]) {
			best = i
		}
	}
	return best
}

func column(f *schema.Factors, j int) []float64 {
	var xs []float64
	for i := range f.Dims {
		xs = append(xs, f.V[i*f.Dims+j])
	}
	return xs
}

func moreRows(f *schema.Factors, d *replay.Difference) {
	d.Field, d.Recomputed = "total", f.Total
	f.Total, f.Counts[3] = f.Total+1, f.Counts[3]+1
	d.Recorded = f.Total
}

// forgeries are of the run of small with four iterations, whose iterations
// select 5, 6, 6 and 6 purposes.
var forgeries = []forgery{
	{"one bit of a value table", valueEdit(1, 2, 17, 0), "==== ==≠= ==== ===="},
	{"a high bit of the last value table", valueEdit(3, 11, 255, 51), "==== ==== ==== ==≠="},
	{"a singular value", factorsEdit(1, func(f *schema.Factors, d *replay.Difference) {
		floatEdit(&f.Sigma[2], 0, d, "sigma", 2) // downwards or upwards, σ₂ and σ₄ are further off
	}), "==== =≠≠= ==== ===="}, // the recorded options have the true σ
	{"V, in a purpose", factorsEdit(1, func(f *schema.Factors, d *replay.Difference) {
		at := largest(column(f, 2))*f.Dims + 2
		floatEdit(&f.V[at], 40, d, "v", at)
	}), "==== =≠≠= ==== ===="}, // the recorded options are of the true V
	{"V, in no purpose", factorsEdit(1, func(f *schema.Factors, d *replay.Difference) {
		at := largest(column(f, 7))*f.Dims + 7
		floatEdit(&f.V[at], 40, d, "v", at)
	}), "==== =≠== ==== ===="}, // its σ is under κ
	{"the count of a distinct row, and the total", factorsEdit(1, moreRows), "==== =≠== ==== ===="},
	{"counts that add up", factorsEdit(1, func(f *schema.Factors, d *replay.Difference) {
		d.Field, d.Index, d.Recomputed = "counts", 2, f.Counts[2]
		f.Counts[2], f.Counts[3] = f.Counts[2]+1, f.Counts[3]-1
		d.Recorded = f.Counts[2]
	}), "==== =≠== ==== ===="},
	{"an action", walkEdit(1, 0, func(x *schema.Transitions, d *replay.Difference) {
		d.Field, d.Index, d.Recomputed = "actions", 200, x.Actions[200]
		x.Actions[200] = 1 - x.Actions[200]
		d.Recorded = x.Actions[200]
	}), "==== ≠≠=≠ ≠=== ===="}, // D and the measures are of the edited walk, and the next one began elsewhere
	{"where a walk began", walkEdit(2, 0, func(x *schema.Transitions, d *replay.Difference) {
		d.Field, d.Recomputed = "start", x.Start
		x.Start += 2
		d.Recorded = x.Start
	}), "==== ==== ≠≠== ≠==="},
	{"one step less", walkEdit(3, 0, func(x *schema.Transitions, d *replay.Difference) {
		d.Field, d.Recorded, d.Recomputed = "actions.length", 399, 400
		last := &x.Spans[len(x.Spans)-1]
		x.Actions = x.Actions[:399]
		if last.Steps--; last.Steps == 0 {
			x.Spans = x.Spans[:len(x.Spans)-1]
		}
	}), "==== ==== ==== ≠≠=≠"},
	{"whose span it was", walkEdit(2, 0, func(x *schema.Transitions, d *replay.Difference) {
		i := slices.IndexFunc(x.Spans, func(s schema.Span) bool { return s.Option > 0 })
		d.Field, d.Index, d.Recomputed = "spans.option", i, x.Spans[i].Option
		x.Spans[i].Option--
		d.Recorded = x.Spans[i].Option
	}), "==== ==== ≠=== ===="}, // as many calls of as many steps
	{"where a span ends", walkEdit(2, 0, func(x *schema.Transitions, d *replay.Difference) {
		i := slices.IndexFunc(x.Spans, func(s schema.Span) bool { return s.Option < 0 })
		d.Field, d.Index, d.Recomputed = "spans.steps", i, x.Spans[i].Steps
		x.Spans[i].Steps, x.Spans[i+1].Steps = x.Spans[i].Steps+1, x.Spans[i+1].Steps-1
		d.Recorded = x.Spans[i].Steps
	}), "==== ==== ≠==≠ ===="}, // the mean length of a call
	{"the sign of one entry of an option's vector", optionEdit(1, 3, func(o *schema.Option, d *replay.Difference) {
		i := largest(o.Purpose.Vector)
		floatEdit(&o.Purpose.Vector[i], 63, d, "purpose.vector", i)
	}), "==== ==≠= ==== ===="},
	{"an option's sign", optionEdit(1, 3, func(o *schema.Option, d *replay.Difference) {
		d.Field, d.Recorded, d.Recomputed = "purpose.sign", 1, -1
		o.Purpose.Sign = 1
	}), "==== ==≠= ==== ===="},
	{"an option's path length", optionEdit(1, 3, func(o *schema.Option, d *replay.Difference) {
		floatEdit(o.Certificate.Reach, 45, d, "certificate.reach", 0)
	}), "==== ==≠= ===≠ ===≠"}, // a measure of each iteration that can call it
	{"an option's proof", optionEdit(2, 0, func(o *schema.Option, d *replay.Difference) {
		d.Field, d.Recorded, d.Recomputed = "certificate.termination", schema.Observed, schema.Proved
		o.Certificate.Termination = schema.Observed
	}), "==== ==== ==≠= ===="},
	{"a measure", measuresEdit(2, func(m *schema.Measures, d *replay.Difference) {
		d.Field, d.Recomputed = "distance", *m.Distance
		*m.Distance++
		d.Recorded = *m.Distance
	}), "==== ==== ===≠ ===="},
	{"a measure that is not defined", measuresEdit(0, func(m *schema.Measures, d *replay.Difference) {
		x := 1.5
		d.Field, d.Recorded = "reach", x
		m.Reach = &x
	}), "===≠ ==== ==== ===="},
	{"an option record less", dropOption(3, 11, replay.Difference{
		Field: "records", Index: 11, Recorded: 11, Recomputed: 12,
	}),
		"==== ==== ==== ==≠≠"}, // the measures count the options
	{"the first option record less", dropOption(3, 0, replay.Difference{
		Field: "purpose.sign", Recorded: -1, Recomputed: 1,
	}),
		"==== ==== ==== ==≠≠"},
	{"an option record more", func(t *testing.T, r *recording) replay.Difference {
		r.insert(t, 3, schema.KindOption, 0)
		return replay.Difference{
			K: 3, Stage: stages.Learn, Record: schema.KindOption, Part: 12, Field: "records", Recorded: 13,
			Recomputed: 12,
		}
	}, "==== ==== ==== ==≠≠"},
	{"two options in each other's place", func(t *testing.T, r *recording) replay.Difference {
		r.swap(t, 3, schema.KindOption, 0, 1)
		return replay.Difference{
			K: 3, Stage: stages.Learn, Record: schema.KindOption, Field: "purpose.sign", Recorded: -1,
			Recomputed: 1,
		}
	}, "==== ==== ==== ==≠="},
	{"two value tables in each other's place", func(t *testing.T, r *recording) replay.Difference {
		a, b := get(t, r, 1, schema.KindValue, 4, schema.DecodeValue), get(t, r, 1, schema.KindValue, 5,
			schema.DecodeValue)
		r.swap(t, 1, schema.KindValue, 4, 5)
		i := 0
		for a[i] == b[i] {
			i++
		}
		far := ulps(math.Float64bits(max(a[i], b[i])) - math.Float64bits(min(a[i], b[i]))) // neither is under 0
		return replay.Difference{
			K: 1, Stage: stages.Learn, Record: schema.KindValue, Part: 4, Field: "value", Index: i,
			Recorded: b[i], Recomputed: a[i], Ulps: far,
		}
	}, "==== ==≠= ==== ===="},
}

func dropOption(k, part int, want replay.Difference) func(*testing.T, *recording) replay.Difference {
	return func(t *testing.T, r *recording) replay.Difference {
		at := r.at(t, k, schema.KindOption, part)
		r.iterations[k] = slices.Delete(r.iterations[k], at, at+1)
		want.K, want.Stage, want.Record, want.Part = k, stages.Learn, schema.KindOption, part
		return want
	}
}

// insert lists a copy of a record after the last one of its kind.
func (r *recording) insert(t testing.TB, k int, kind schema.Kind, part int) {
	x := r.iterations[k][r.at(t, k, kind, part)]
	last := r.at(t, k, kind, r.count(k, kind)-1)
	r.iterations[k] = slices.Insert(r.iterations[k], last+1, x)
}

func (r *recording) swap(t testing.TB, k int, kind schema.Kind, a, b int) {
	i, j := r.at(t, k, kind, a), r.at(t, k, kind, b)
	r.iterations[k][i], r.iterations[k][j] = r.iterations[k][j], r.iterations[k][i]
}

// smallRun returns what the forgeries change.
func smallRun(t testing.TB) *recording {
	t.Helper()
	store, run := perform(t, replay.Job{Spec: small(), Target: 4})
	return record(t, store, run)
}

func TestForgeriesAreFound(t *testing.T) {
	truth := smallRun(t)
	for k, want := range []int{10, 12, 12, 12} {
		if got := truth.count(k, schema.KindOption); got != want {
			t.Fatalf("iteration %d has %d options, the forgeries are made for %d", k, got, want)
		}
	}
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			r := truth.clone()
			want := f.lie(t, r)
			store, run := r.write(t, nil)
			j := judge(t, store, run, replay.Scope{})
			wantVerdicts(t, j, f.want)
			if got := describe(j.First); got != describe(&want) {
				t.Errorf("found %s\nwant  %s", got, describe(&want))
			}
		})
	}
}

// TestForgedLists forges the list of an iteration's records, which no stage makes: every record and every stage is
// valid, and only the chain differs from that of an execution.
func TestForgedLists(t *testing.T) {
	truth := smallRun(t)
	for name, c := range map[string]struct {
		lie  func(r *recording)
		want string
	}{
		"a value record more": {func(r *recording) { r.insert(t, 3, schema.KindValue, 0) }, "==== ==== ==== ====!"},
		"kinds in each other's place": {func(r *recording) {
			a, b := r.at(t, 3, schema.KindTransitions, 0), r.at(t, 3, schema.KindFactors, 0)
			r.iterations[3][a], r.iterations[3][b] = r.iterations[3][b], r.iterations[3][a]
		}, "==== ==== ==== ====!"},
		"measures first": {func(r *recording) {
			at := r.at(t, 1, schema.KindMeasures, 0)
			m := r.iterations[1][at]
			r.iterations[1] = slices.Insert(slices.Delete(r.iterations[1], at, at+1), 0, m)
		}, "==== ====! ==== ===="},
		"a kind that nobody knows": {
			func(r *recording) { r.iterations[0] = append(r.iterations[0], item{"secret", []byte("anything")}) },
			"====! ==== ==== ====",
		},
		"measures twice": {
			func(r *recording) { r.insert(t, 2, schema.KindMeasures, 0) }, "==== ==== ===≠ ====",
		},
		"factors twice": {
			func(r *recording) { r.insert(t, 2, schema.KindFactors, 0) }, "==== ==== =≠== ====",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := truth.clone()
			c.lie(r)
			store, run := r.write(t, nil)
			wantVerdicts(t, judge(t, store, run, replay.Scope{}), c.want)
		})
	}
}

// TestForgedOptionOfNothing gives an option to an iteration that selects no
// purpose, and makes the measures agree.
func TestForgedOptionOfNothing(t *testing.T) {
	donor := smallRun(t)
	spec := small()
	spec.Kappa = 1000
	store, run := perform(t, replay.Job{Spec: spec, Target: 2})
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(2, "===="))
	r := record(t, store, run)
	value, option := donor.iterations[0][donor.at(t, 0, schema.KindValue, 0)],
		donor.iterations[0][donor.at(t, 0, schema.KindOption, 0)]
	r.iterations[1] = slices.Insert(r.iterations[1], 2, value, option)
	edit(t, r, 1, schema.KindMeasures, 0, schema.DecodeMeasures, func(m *schema.Measures) { m.Options = 1 })
	store, run = r.write(t, nil)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== ==≠=")
}

// TestForgedShapes forges records that are sound in themselves and of another environment: no reader of them may panic.
func TestForgedShapes(t *testing.T) {
	factors := func(dims int) func(*schema.Factors, *replay.Difference) {
		return func(f *schema.Factors, _ *replay.Difference) {
			*f = schema.Factors{Dims: dims, Total: 1, Rows: make([]schema.SparseRow,
				1), Counts: []int64{1}, Sigma: make([]float64, dims),
				V: make([]float64, dims*dims)}
			for i := range f.Sigma {
				f.Sigma[i] = 5
			}
		}
	}
	for name, c := range map[string]struct {
		lie             func(*testing.T, *recording) replay.Difference
		iteration, rest string // the drawing of iterations 0 and 1, and of the other two
	}{
		"fewer states": {
			optionEdit(1, 0, func(o *schema.Option, _ *replay.Difference) { o.Policy = o.Policy[:4] }), "==== ==≠?",
			"??=? ??=?",
		},
		"fewer features": {factorsEdit(1, factors(2)), "==== =≠??", "==== ===="},
		"more features":  {factorsEdit(1, factors(20)), "==== =≠??", "==== ===="},
		"other actions": {optionEdit(1, 0, func(o *schema.Option, _ *replay.Difference) {
			o.Arity = 100
			for s := range o.Policy {
				o.Policy[s] = 50
			}
		}), "==== ==≠?", "??=? ??=?"},
		"another vector": {
			optionEdit(1, 0, func(o *schema.Option, _ *replay.Difference) { o.Purpose.Vector = []float64{1} }),
			"==== ==≠?", "??=? ??=?",
		},
		"more actions": {
			walkEdit(1, 0, func(x *schema.Transitions, _ *replay.Difference) { x.Arity = 3 }), "==== ≠?=?",
			"?=== ====",
		},
		"an episode": {walkEdit(1, 0, func(x *schema.Transitions, _ *replay.Difference) {
			x.Episodes = []schema.Episode{{Step: 5, State: 0}}
		}), "==== ≠?=?", "?=== ===="},
		"a state that is none": {
			walkEdit(1, 0, func(x *schema.Transitions, _ *replay.Difference) { x.Start = 1 << 40 }), "==== ≠?=?",
			"?=== ====",
		},
		"an option that is none": {walkEdit(1, 0, func(x *schema.Transitions, _ *replay.Difference) {
			x.Spans[0].Option = 1 << 30
		}), "==== ≠?=?", "?=== ===="},
	} {
		for i, reading := range schema.Readings() {
			t.Run(reading+", "+name, func(t *testing.T) {
				spec := small()
				ok(t, spec.SetReading(reading))
				store, run := perform(t, replay.Job{Spec: spec, Target: 4})
				r := record(t, store, run)
				c.lie(t, r)
				store, run = r.write(t, nil)
				want := c.iteration + " " + c.rest
				if i == 1 && strings.Contains(name, "features") {
					want = "==== =≠?? =?== ====" // D goes on from factors that are of no use
				}
				wantVerdicts(t, judge(t, store, run, replay.Scope{}), want)
				if _, err := replay.Verify(context.Background(), store, run, only(3), replay.Options{}); strings.HasPrefix(c.rest,
					"??") && !errors.Is(err, replay.ErrUnverifiable) {
					t.Errorf("iteration 3 alone: %v", err)
				}
			})
		}
	}
}

// TestAnyBit flips a bit anywhere in a record of any kind. Whatever that makes of
// it, another number or bytes that are no record, the replay comes to its end,
// finds it in the stage that made the record, and finds nothing before that.
func TestAnyBit(t *testing.T) {
	stageOf := map[schema.Kind]int{
		schema.KindTransitions: 0, schema.KindFactors: 1, schema.KindValue: 2, schema.KindOption: 2,
		schema.KindMeasures: 3,
	}
	others := []schema.Kind{
		schema.KindObservations, schema.KindRows, schema.KindTheta, schema.KindSelection,
		schema.KindRewards, schema.KindExternalMeasures,
	}
	kinds := slices.DeleteFunc(slices.Clone(schema.Kinds), func(k schema.Kind) bool {
		return slices.Contains(others, k)
	})
	for i, reading := range schema.Readings() {
		spec := small()
		spec.Env.Params["bits"], spec.Steps = 6, 100
		ok(t, spec.SetReading(reading))
		store, run := perform(t, replay.Job{Spec: spec, Target: 3})
		truth := record(t, store, run)
		random := rand.New(rand.NewPCG(20160519, uint64(i)))
		for n := range schematest.Size(20, 100) {
			r := truth.clone()
			k, kind := random.IntN(3), kinds[random.IntN(len(kinds))]
			at := r.at(t, k, kind, random.IntN(r.count(k, kind)))
			data := bytes.Clone(r.iterations[k][at].data)
			byteAt, bit := random.IntN(len(data)), random.IntN(8)
			data[byteAt] ^= 1 << bit
			r.iterations[k][at].data = data
			store, run := r.write(t, nil)
			j, err := replay.Verify(context.Background(), store, run, replay.Scope{}, replay.Options{})
			if err != nil {
				t.Fatalf("%s, case %d, iteration %d, bit %d of byte %d of record %d (%s): %v", reading, n, k, bit,
					byteAt, at, kind, err)
			}
			got := drawn(j)
			marks := []rune(strings.ReplaceAll(got, " ", ""))
			before := 4*k + stageOf[kind]
			if string(marks[:before]) != strings.Repeat("=", before) || marks[before] != '≠' && marks[before] != '!' {
				t.Errorf("%s, case %d, iteration %d, bit %d of byte %d of record %d (%s): judged %s", reading, n, k,
					bit, byteAt, at, kind, got)
			}
		}
	}
}

// TestRewrittenTruth is the control of all forgeries: the same way into a store
// with nothing changed gives the same links, and all is identical.
func TestRewrittenTruth(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 4})
	again, same := record(t, store, run).write(t, nil)
	if a, b := iterationsOf(t, store, run.ID), iterationsOf(t, again, same.ID); a[3].Link != b[3].Link {
		t.Errorf("head %s, rewritten %s", a[3].Link, b[3].Link)
	}
	wantVerdicts(t, judge(t, again, same, replay.Scope{}), all(4, "===="))
}

// TestForgedDatasetIsInherited changes a count in a cumulative run: D of the next
// iteration is joined to it, that of the one after it only to what that recorded.
func TestForgedDatasetIsInherited(t *testing.T) {
	spec := small()
	ok(t, spec.SetReading("as-published"))
	store, run := perform(t, replay.Job{Spec: spec, Target: 4})
	r := record(t, store, run)
	factorsEdit(1, moreRows)(t, r)
	store, run = r.write(t, nil)
	j := judge(t, store, run, replay.Scope{})
	wantVerdicts(t, j, "==== =≠== =≠== ====")
	d := j.Iterations[2].Stages[1].Difference
	if d == nil || d.Field != "total" || d.Recorded != int64(1200) || d.Recomputed != int64(1201) {
		t.Errorf("iteration 2: %s", describe(d))
	}
}

// walked returns the states of an iteration's steps, and the options being executed.
func walked(t testing.TB, r *recording, k int) (states []int, options []int32) {
	x := get(t, r, k, schema.KindTransitions, 0, schema.DecodeTransitions)
	s := int(x.Start)
	for _, span := range x.Spans {
		for range span.Steps {
			states, options = append(states, s), append(options, span.Option)
			s = (s + 2*int(x.Actions[len(states)-1]) - 1) & 255
		}
	}
	return states, options
}

// TestForgedPolicy changes what an option of iteration 0 does in one state: if the agent visits that state while
// executing the option, its steps differ from there on; if it never does, nothing else reveals the change.
func TestForgedPolicy(t *testing.T) {
	truth := smallRun(t)
	visited := map[int]bool{}
	for k := range 4 {
		states, _ := walked(t, truth, k)
		for _, s := range states {
			visited[s] = true
		}
	}
	lie := func(r *recording, option, state int) replay.Difference {
		return optionEdit(0, option, func(o *schema.Option, d *replay.Difference) {
			d.Field, d.Index, d.Recomputed = "policy", state, o.Policy[state]
			o.Policy[state] = 1 - o.Policy[state]
			d.Recorded = o.Policy[state]
		})(t, r)
	}

	states, options := walked(t, truth, 1)
	step := slices.IndexFunc(options, func(o int32) bool { return o >= 0 })
	r := truth.clone()
	want := lie(r, int(options[step]), states[step])
	store, run := r.write(t, nil)
	j := judge(t, store, run, replay.Scope{})
	if got := describe(j.First); got != describe(&want) {
		t.Errorf("found %s\nwant  %s", got, describe(&want))
	}
	x := get(t, truth, 1, schema.KindTransitions, 0, schema.DecodeTransitions)
	parted := replay.Difference{K: 1, Stage: stages.Collect, Record: schema.KindTransitions, Field: "actions",
		Index:    step,
		Recorded: x.Actions[step], Recomputed: 1 - x.Actions[step]}
	if got := describe(j.Iterations[1].Stages[0].Difference); got != describe(&parted) {
		t.Errorf("found %s\nwant  %s", got, describe(&parted))
	}
	if got := drawn(j); !strings.HasPrefix(got, "==≠= ≠=== ") {
		t.Errorf("judged %s", got)
	}

	r = truth.clone()
	option := get(t, r, 0, schema.KindOption, 0, schema.DecodeOption)
	far := slices.IndexFunc(option.Policy, func(a int8) bool { return a != schema.Terminate })
	for visited[far] || option.Policy[far] == schema.Terminate {
		far++
	}
	want = lie(r, 0, far)
	store, run = r.write(t, nil)
	j = judge(t, store, run, replay.Scope{})
	wantVerdicts(t, j, "==≠= ==== ==== ====")
	if got := describe(j.First); got != describe(&want) {
		t.Errorf("found %s\nwant  %s", got, describe(&want))
	}
}

// TestForgedActionSet drops or adds an option that later walks could call. Where
// they did call one that is gone, they cannot be read at all.
func TestForgedActionSet(t *testing.T) {
	truth := smallRun(t)
	r := truth.clone()
	r.insert(t, 1, schema.KindOption, 0)
	store, run := r.write(t, nil)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== ==≠≠ ≠==≠ ≠==≠") // more to choose from, and to count

	r = truth.clone()
	for range 12 { // all of iteration 2: options 22 to 33
		dropOption(2, 0, replay.Difference{})(t, r)
	}
	if _, options := walked(t, r, 3); slices.Max(options) < 22 {
		t.Fatal("iteration 3 calls no option of iteration 2")
	}
	store, run = r.write(t, nil)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== ==== ==≠≠ ≠?=?")
}

// TestForgedChunk edits the second chunk of an iteration.
func TestForgedChunk(t *testing.T) {
	spec := small()
	spec.Steps = schema.ChunkSteps + 3000
	store, run := perform(t, replay.Job{Spec: spec, Target: 2})
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(2, "===="))
	truth := record(t, store, run)
	for _, k := range []int{0, 1} {
		for part, steps := range []int{schema.ChunkSteps, 3000} {
			if n := len(get(t, truth, k, schema.KindTransitions, part, schema.DecodeTransitions).Actions); n != steps {
				t.Fatalf("chunk %d of iteration %d has %d steps", part, k, n)
			}
		}
	}
	r := truth.clone()
	want := walkEdit(1, 1, func(x *schema.Transitions, d *replay.Difference) {
		d.Field, d.Index, d.Recomputed = "actions", 2999, x.Actions[2999]
		x.Actions[2999] = 1 - x.Actions[2999]
		d.Recorded = x.Actions[2999]
	})(t, r)
	store, run = r.write(t, nil)
	j := judge(t, store, run, replay.Scope{})
	wantVerdicts(t, j, "==== ≠≠=≠")
	if got := describe(j.First); got != describe(&want) {
		t.Errorf("found %s\nwant  %s", got, describe(&want))
	}

	r = truth.clone()
	at := r.at(t, 0, schema.KindTransitions, 1)
	r.iterations[0] = slices.Delete(r.iterations[0], at, at+1)
	store, run = r.write(t, nil)
	j = judge(t, store, run, replay.Scope{})
	wantVerdicts(t, j, "≠≠=≠ ≠===")
	want = replay.Difference{
		Stage: stages.Collect, Record: schema.KindTransitions, Part: 1, Field: "records", Index: 1, Recorded: 1,
		Recomputed: 2,
	}
	if got := describe(j.First); got != describe(&want) {
		t.Errorf("found %s\nwant  %s", got, describe(&want))
	}
}

// TestMoreThanIsReadAhead judges an iteration of 17 MB, listed in the order in
// which it was made and in another.
func TestMoreThanIsReadAhead(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps, spec.Kappa, spec.Sweeps = 17, 20_000, 0, 1
	store, run := perform(t, replay.Job{Spec: spec, Target: 1})
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "====")
	r := record(t, store, run)
	size, last := 0, r.count(0, schema.KindValue)-1
	for _, x := range r.iterations[0] {
		size += len(x.data)
	}
	if size <= 16<<20 {
		t.Fatalf("only %d bytes", size)
	}
	r.swap(t, 0, schema.KindValue, 0, last)
	store, run = r.write(t, nil)
	j := judge(t, store, run, replay.Scope{})
	wantVerdicts(t, j, "==≠=")
	if j.First.Record != schema.KindValue || j.First.Part != 0 {
		t.Errorf("found %s", describe(j.First))
	}
}

// TestBrokenLinks writes a link that does not follow from what it links. A later link that follows from it is valid.
func TestBrokenLinks(t *testing.T) {
	truth := smallRun(t)
	wrong := schema.Name([]byte("wrong"))
	store, run := truth.write(t, func(k int, link schema.Digest) schema.Digest {
		if k == 1 {
			return wrong
		}
		return link
	})
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== ====! ==== ====")

	var links []schema.Digest
	truth.write(t, func(_ int, link schema.Digest) schema.Digest { links = append(links, link); return link })
	store, run = truth.write(t, func(k int, link schema.Digest) schema.Digest {
		if k == 1 {
			return wrong
		}
		return links[k]
	})
	j := judge(t, store, run, replay.Scope{})
	wantVerdicts(t, j, "==== ====! ====! ====")
	if s := j.Iterations[1].Stages[4]; s.Stage != "link" || !strings.Contains(s.Reason, "does not match") {
		t.Errorf("%s: %s", s.Stage, s.Reason)
	}
	if _, err := replay.Verify(context.Background(), store, run, only(3), replay.Options{}); !errors.Is(err,
		replay.ErrUnverifiable) || !errors.Is(err, tracker.ErrDamaged) {
		t.Errorf("iteration 3 behind a broken link: %v", err)
	}
	wantVerdicts(t, judge(t, store, run, only(1)), "====!")
}

// spoil changes the store's file beneath it.
func spoil(t testing.TB, store *tracker.Store, fn func(digests, records *bbolt.Bucket) error) {
	t.Helper()
	db, err := bbolt.Open(store.Path(), 0o600, nil)
	ok(t, err)
	ok(t, db.Update(func(tx *bbolt.Tx) error { return fn(tx.Bucket([]byte("digests")), tx.Bucket([]byte("records"))) }))
	ok(t, db.Close())
}

// damages are the ways in which a record can be gone.
var damages = map[string]func(name schema.Digest) func(digests, records *bbolt.Bucket) error{
	"flipped": func(name schema.Digest) func(digests, records *bbolt.Bucket) error {
		return func(digests, records *bbolt.Bucket) error {
			seq := digests.Get(name[:])
			stored := bytes.Clone(records.Get(seq))
			stored[len(stored)/2] ^= 0x10
			return records.Put(seq, stored)
		}
	},
	"missing": func(name schema.Digest) func(digests, records *bbolt.Bucket) error {
		return func(digests, _ *bbolt.Bucket) error { return digests.Delete(name[:]) }
	},
}

// TestDamage destroys one record of iteration 1: the stage that made it is
// damaged, what reads it cannot be judged, and all the rest is.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		kind                 schema.Kind
		part                 int
		asWritten, published string
	}{
		{schema.KindTransitions, 0, "==== !?=? ?=== ====", "==== !?=? ?=== ===="},
		{schema.KindFactors, 0, "==== =!?? ==== ====", "==== =!?? =?== ===="},
		{schema.KindValue, 2, "==== ==!= ==== ====", "==== ==!= ==== ===="},
		{schema.KindOption, 2, "==== ==!? ??=? ??=?", "==== ==!? ??=? ??=?"},
		{schema.KindMeasures, 0, "==== ===! ==== ====", "==== ===! ==== ===="},
	} {
		for i, reading := range schema.Readings() {
			want := []string{c.asWritten, c.published}[i]
			spec := small()
			ok(t, spec.SetReading(reading))
			whole, run := perform(t, replay.Job{Spec: spec, Target: 4})
			name := iterationsOf(t, whole, run.ID)[1].RecordsOf(c.kind)[c.part]
			for how, damage := range damages {
				t.Run(fmt.Sprintf("%s, %s, %s", reading, c.kind, how), func(t *testing.T) {
					store := copyStore(t, whole.Path())
					spoil(t, store, damage(name))
					j := judge(t, store, run, replay.Scope{})
					wantVerdicts(t, j, want)
					if j.First != nil {
						t.Errorf("damage is no difference, but %s", describe(j.First))
					}
					if reasons := fmt.Sprint(j.Iterations[1]); !strings.Contains(reasons, name.String()) {
						t.Errorf("record %s is not named: %s", name, reasons)
					}
				})
			}
		}
	}
}

// TestDamageBeforeOne judges one iteration alone behind a damaged one.
func TestDamageBeforeOne(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 4})
	spoil(t, store, damages["missing"](iterationsOf(t, store, run.ID)[1].RecordsOf(schema.KindTransitions)[0]))
	for k, want := range []string{"====", "!?=?", "", "===="} {
		j, err := replay.Verify(context.Background(), store, run, only(k), replay.Options{})
		if want == "" {
			if !errors.Is(err, replay.ErrUnverifiable) || !errors.Is(err, tracker.ErrMissing) {
				t.Errorf("iteration %d: %v", k, err)
			}
			continue
		}
		ok(t, err)
		wantVerdicts(t, j, want)
	}
}

// unit is a piece of work of a replay: a stage, or one signed purpose.
type unit struct {
	k     int
	stage string
	part  int
}

func units(r *recording) []unit {
	var us []unit
	for k := range r.iterations {
		us = append(us, unit{k, stages.Collect, 0}, unit{k, stages.Factor, 0})
		for part := range r.count(k, schema.KindOption) {
			us = append(us, unit{k, stages.Learn, part})
		}
		us = append(us, unit{k, stages.Measure, 0})
	}
	return us
}

// TestSampleTakesEveryUnitOnce spoils every value table, so that a purpose that
// is judged shows which it is, and takes as many parts as there are units.
func TestSampleTakesEveryUnitOnce(t *testing.T) {
	r := smallRun(t)
	for k := range r.iterations {
		for part := range r.count(k, schema.KindValue) {
			valueEdit(k, part, part, 0)(t, r)
		}
	}
	store, run := r.write(t, nil)
	left := map[unit]bool{}
	for _, u := range units(r) {
		left[u] = true
	}
	parts := len(left)
	for n := 1; n <= parts; n++ {
		var took []unit
		for _, it := range judge(t, store, run, sampled(n, parts)).Iterations {
			for _, s := range it.Stages {
				switch {
				case s.Verdict == replay.Skipped:
				case s.Difference != nil:
					took = append(took, unit{it.K, s.Stage, s.Difference.Part})
				default:
					took = append(took, unit{it.K, s.Stage, 0})
				}
			}
		}
		if len(took) != 1 || !left[took[0]] {
			t.Fatalf("part %d of %d took %v, of %d that were left", n, parts, took, len(left))
		}
		delete(left, took[0])
	}
}

func TestSampleFindsALieOnce(t *testing.T) {
	r := smallRun(t)
	n := len(units(r))
	valueEdit(2, 7, 100, 0)(t, r)
	store, run := r.write(t, nil)
	for _, parts := range schematest.Size([]int{3, n + 5}, []int{1, 2, 3, 7, 10, n - 1, n, n + 5}) {
		found, idle := 0, 0
		for i := 1; i <= parts; i++ {
			j := judge(t, store, run, sampled(i, parts))
			found += j.Count(replay.Different)
			if j.Count(replay.Skipped) == 16 {
				idle++
			}
		}
		if found != 1 || idle != max(parts-n, 0) {
			t.Errorf("found by %d of %d parts, %d of them idle", found, parts, idle)
		}
	}
	wantVerdicts(t, judge(t, store, run, sampled(1, 1)), "==== ==== ==≠= ====")
	sample := &replay.Sample{N: 1, T: 3}
	scope := replay.Scope{Sample: sample}
	if a, b := judge(t, store, run, scope), judge(t, store, run, scope); drawn(a) != drawn(b) {
		t.Errorf("the same sample twice: %s and %s", drawn(a), drawn(b))
	}
}

// TestOneIteration judges iterations one by one, each from what those before it
// recorded, with a lie in each of them.
func TestOneIteration(t *testing.T) {
	for _, reading := range schema.Readings() {
		spec := small()
		ok(t, spec.SetReading(reading))
		store, run := perform(t, replay.Job{Spec: spec, Target: 4})
		truth := record(t, store, run)
		for lie := range 4 {
			r := truth.clone()
			valueEdit(lie, 1, 9, 0)(t, r)
			store, run = r.write(t, nil)
			for k := range 4 {
				j := judge(t, store, run, only(k))
				want := "===="
				if k == lie {
					want = "==≠="
				}
				wantVerdicts(t, j, want)
				if len(j.Iterations) != 1 || j.Iterations[0].K != k {
					t.Errorf("%s: iteration %d alone judged %v", reading, k, j.Iterations)
				}
			}
		}
		for _, k := range []int{-1, 4} {
			_, err := replay.Verify(context.Background(), store, run, replay.Scope{Iteration: &k}, replay.Options{})
			if !errors.Is(err, tracker.ErrMissing) || !strings.Contains(schema.Remedy(err), "it has 4") {
				t.Errorf("iteration %d: %v (%s)", k, err, schema.Remedy(err))
			}
		}
	}
}

// TestUnknownNumerics: a run of another numerics version cannot be judged.
func TestUnknownNumerics(t *testing.T) {
	r := smallRun(t)
	r.run.Spec.Numerics = schema.NumericsVersion + 1
	store, run := r.write(t, nil)
	for _, scope := range []replay.Scope{{}, {Iteration: new(0)}, {Iteration: new(99)}} {
		_, err := replay.Verify(context.Background(), store, run, scope, replay.Options{})
		if !errors.Is(err, replay.ErrUnverifiable) || !strings.Contains(schema.Remedy(err), "computes numerics version 2") {
			t.Errorf("%v (%s)", err, schema.Remedy(err))
		}
	}
	r = smallRun(t)
	r.run.Spec.Env.Name = "torus"
	store, run = r.write(t, nil)
	if _, err := replay.Verify(context.Background(), store, run, replay.Scope{}, replay.Options{}); !errors.Is(err,
		replay.ErrUnverifiable) || !errors.Is(err, schema.ErrSpec) {
		t.Errorf("an unknown environment: %v", err)
	}
}

// TestEmptyRun has nothing that could be wrong.
func TestEmptyRun(t *testing.T) {
	store, run := (&recording{run: tracker.Run{Spec: pod.PaperSpec()}}).write(t, nil)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "")
}

// TestJudgeWritesNothing judges a store that may not be written to; its bytes and its folder stay as they were.
func TestJudgeWritesNothing(t *testing.T) {
	r := smallRun(t)
	valueEdit(1, 2, 17, 0)(t, r)
	store, run := r.write(t, nil)
	spoil(t, store, damages["flipped"](iterationsOf(t, store, run.ID)[2].RecordsOf(schema.KindOption)[0]))
	ok(t, os.Chmod(store.Path(), 0o444))
	before := readFile(t, store.Path())
	info, err := os.Stat(store.Path())
	ok(t, err)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== ==≠= ==!? ??=?")
	judge(t, store, run, replay.Scope{Iteration: new(1), Sample: &replay.Sample{N: 1, T: 3}})
	if !bytes.Equal(before, readFile(t, store.Path())) {
		t.Error("the file has changed")
	}
	after, err := os.Stat(store.Path())
	ok(t, err)
	if !after.ModTime().Equal(info.ModTime()) {
		t.Error("the file was written to")
	}
	entries, err := os.ReadDir(strings.TrimSuffix(store.Path(), "/podtrack.db"))
	ok(t, err)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestJudgeStops ends with its context.
func TestJudgeStops(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 4})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events := 0
	_, err := replay.Verify(ctx, store, run, replay.Scope{}, replay.Options{Report: func(e replay.Event) {
		if events++; events == 20 {
			cancel()
		}
	}})
	if err == nil || events != 20 {
		t.Errorf("%d events, then %v", events, err)
	}
}

// TestJudgeOfARemovedRun removes the run during the replay: nothing is said to be damaged.
func TestJudgeOfARemovedRun(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 4})
	var once sync.Once
	verification, err := replay.Verify(context.Background(), store, run, replay.Scope{},
		replay.Options{Report: func(replay.Event) {
			once.Do(func() {
				_, err := gc.Remove(context.Background(), store, []schema.Digest{run.ID})
				ok(t, err)
			})
		}})
	if !errors.Is(err, replay.ErrUnverifiable) || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("%v, and %v", err, verification.First)
	}
}

// TestLostDatasetAccusesNobody loses the dataset that a cumulative D extends, and the transitions of the same
// iteration: no stage is called different.
func TestLostDatasetAccusesNobody(t *testing.T) {
	spec := small()
	ok(t, spec.SetReading("as-published"))
	store, run := perform(t, replay.Job{Spec: spec, Target: 5})
	it := iterationsOf(t, store, run.ID)[1]
	spoil(t, store, damages["missing"](it.RecordsOf(schema.KindTransitions)[0]))
	spoil(t, store, damages["missing"](it.RecordsOf(schema.KindFactors)[0]))
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== !??? ??== ==== ====")
}

func TestLostDatasetAccusesNobodyBySample(t *testing.T) {
	spec := small()
	ok(t, spec.SetReading("as-published"))
	store, run := perform(t, replay.Job{Spec: spec, Target: 5})
	it := iterationsOf(t, store, run.ID)[1]
	spoil(t, store, damages["missing"](it.RecordsOf(schema.KindFactors)[0]))
	for n := 1; n <= 20; n++ {
		if j := judge(t, store, run, sampled(n, 20)); j.Count(replay.Different) > 0 {
			t.Errorf("part %d: %s", n, drawn(j))
		}
	}
}

// TestFieldNames calls fields what their records call them.
func TestFieldNames(t *testing.T) {
	for want, change := range map[string]func(*schema.Measures){
		"states_visited":     func(m *schema.Measures) { m.StatesVisited++ },
		"distance_one_sided": func(m *schema.Measures) { *m.DistanceOneSided++ },
	} {
		r := smallRun(t)
		edit(t, r, 2, schema.KindMeasures, 0, schema.DecodeMeasures, change)
		store, run := r.write(t, nil)
		if d := judge(t, store, run, replay.Scope{}).First; d.Field != want {
			t.Errorf("field %s, want %s", d.Field, want)
		}
	}
}

func TestDamageSaysWhere(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	spoil(t, store, damages["missing"](iterationsOf(t, store, run.ID)[1].RecordsOf(schema.KindMeasures)[0]))
	if why := judge(t, store, run, replay.Scope{}).Iterations[1].Stages[3].Reason; !strings.Contains(why,
		"iteration 1, measure") {
		t.Error(why)
	}
}
