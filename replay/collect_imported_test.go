package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// given returns a job whose iteration 0 is given records of one kind.
func given(t testing.TB, spec schema.Spec, target int, kind schema.Kind, records ...[]byte) replay.Job {
	t.Helper()
	var entries []schema.Entry
	for _, r := range records {
		entries = append(entries, schema.Entry{Kind: kind, Name: schema.Name(r)})
	}
	var err error
	spec.Data, err = schema.DataDigest(entries)
	ok(t, err)
	return replay.Job{Spec: spec, Target: target, Data: records}
}

func bytesOf(t testing.TB, v encoder) []byte {
	t.Helper()
	data, err := v.Encode()
	ok(t, err)
	return data
}

// ownWalk returns a job that is given the transitions of iteration k of a recording.
func ownWalk(t testing.TB, r *recording, k, target int) replay.Job {
	t.Helper()
	var records [][]byte
	for part := range r.count(k, schema.KindTransitions) {
		records = append(records, r.iterations[k][r.at(t, k, schema.KindTransitions, part)].data)
	}
	return given(t, r.run.Spec, target, schema.KindTransitions, records...)
}

// plainD returns a job that is given the D of a recording's iteration 0 without its
// states.
func plainD(t testing.TB, r *recording) replay.Job {
	t.Helper()
	f := get(t, r, 0, schema.KindFactors, 0, schema.DecodeFactors)
	rows := schema.Rows{Dims: f.Dims, Total: f.Total, Rows: schema.DenseRows(f.Dims, f.Rows), Counts: f.Counts}
	spec := r.run.Spec
	spec.Env = schema.Env{Name: "rows", Version: 1, Params: map[string]int64{"features": int64(f.Dims)}}
	return given(t, spec, 1, schema.KindRows, bytesOf(t, rows))
}

// walkRun returns a run of two iterations to take data from.
func walkRun(t testing.TB, reading string) *recording {
	t.Helper()
	spec := small()
	ok(t, spec.SetReading(reading))
	store, run := perform(t, replay.Job{Spec: spec, Target: 2})
	return record(t, store, run)
}

// TestOwnWalk: a run that imports another's transitions records the same in iteration 0, and continues in the same way.
func TestOwnWalk(t *testing.T) {
	for _, reading := range schema.Readings() {
		r := walkRun(t, reading)
		store, run := perform(t, ownWalk(t, r, 0, 3))
		its := iterationsOf(t, store, run.ID)
		for k, items := range r.iterations {
			var want []schema.Entry
			for _, x := range items {
				want = append(want, schema.Entry{Kind: x.kind, Name: schema.Name(x.data)})
			}
			if diff := cmp.Diff(want, its[k].Records, cmp.AllowUnexported(schema.Entry{})); diff != "" {
				t.Errorf("%s, iteration %d (-walked +given):\n%s", reading, k, diff)
			}
		}
		if run.ID == r.run.ID {
			t.Error("with data and without are one run")
		}
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(3, "===="))
		wantVerdicts(t, judge(t, store, run, only(0)), "====")
		wantVerdicts(t, judge(t, store, run, only(2)), "====")
		child := fork(t, store, run, 1, 3, kappa(3))
		wantVerdicts(t, judge(t, store, child, replay.Scope{}), all(3, "===="))
	}
}

// TestPlainD: without states the factors are the same up to rounding, since plain rows need not be whole numbers, and
// nothing is learned.
func TestPlainD(t *testing.T) {
	walked, walk := perform(t, replay.Job{Spec: small(), Target: 2})
	r := record(t, walked, walk)
	store, run := perform(t, plainD(t, r))
	its := iterationsOf(t, store, run.ID)
	var kinds []schema.Kind
	for _, e := range its[0].Records {
		kinds = append(kinds, e.Kind)
	}
	if want := []schema.Kind{schema.KindRows, schema.KindFactors, schema.KindMeasures}; !slices.Equal(kinds, want) {
		t.Fatalf("records %v, want %v", kinds, want)
	}
	factors := r.iterations[0][r.at(t, 0, schema.KindFactors, 0)].data
	f, err := schema.DecodeFactors(factors)
	ok(t, err)
	g := get(t, record(t, store, run), 0, schema.KindFactors, 0, schema.DecodeFactors)
	if diff := cmp.Diff(f.Sigma, g.Sigma, cmpopts.EquateApprox(1e-12, 1e-12)); diff != "" {
		t.Errorf("σ (-walked +plain):\n%s", diff)
	}
	m := lastMeasures(t, store, run)
	of := get(t, r, 0, schema.KindMeasures, 0, schema.DecodeMeasures)
	if want := (schema.Measures{Purposes: of.Purposes}); m != want || of.Purposes == 0 {
		t.Errorf("measures %+v, want %+v", m, want)
	}
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "====")
	for n := range 4 {
		j := judge(t, store, run, replay.Scope{Sample: &replay.Sample{N: n + 1, T: 4}})
		if j.Count(replay.Different)+j.Count(replay.Damaged)+j.Count(replay.Unverified) > 0 {
			t.Errorf("sample %d of 4: %s", n+1, drawn(j))
		}
	}
}

// TestBeginsElsewhere: data need not begin where a run does.
func TestBeginsElsewhere(t *testing.T) {
	r := walkRun(t, "as-written")
	first := get(t, r, 1, schema.KindTransitions, 0, schema.DecodeTransitions)
	if first.Start == 0 {
		t.Fatal("the second iteration begins at 0 too")
	}
	first.Spans = []schema.Span{{Steps: uint32(len(first.Actions)), Option: schema.Primitive}}
	job := given(t, r.run.Spec, 2, schema.KindTransitions, bytesOf(t, first))
	store, run := perform(t, job)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), "==== ====")
	if again := runJobs(t, store, []replay.Job{job}, 1)[0]; again.Resumed != 2 {
		t.Errorf("given again, %d iterations were there", again.Resumed)
	}
}

// TestInterruptedData stops imported runs at every event, and resumes them without their data: the store's copy is
// enough.
func TestInterruptedData(t *testing.T) {
	r := walkRun(t, "as-published")
	for name, job := range map[string]replay.Job{"transitions": ownWalk(t, r, 0, 3), "rows": plainD(t, r)} {
		want := runJobs(t, newStore(t, tracker.Options{}), []replay.Job{job}, 1)[0].Head
		stops := 0
		for n := int64(1); ; n++ {
			store := newStore(t, tracker.Options{})
			if _, done := interrupt(t, store, job, n); done {
				break
			}
			stops++
			resumed := job
			resumed.Data = nil
			if out := runJobs(t, store, []replay.Job{resumed}, 1)[0]; out.Head != want {
				t.Errorf("%s stopped at event %d: head %s, want %s", name, n, out.Head, want)
			}
		}
		if stops < 2 {
			t.Errorf("%s: only %d interruptions", name, stops)
		}
	}
}

// refused runs a job that cannot be done, and returns its error.
func refused(t *testing.T, store *tracker.Store, job replay.Job) error {
	t.Helper()
	ctx := context.Background()
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	var out replay.Outcome
	replay.NewEngine(store, w, replay.Options{}).Run(ctx, job, func(o replay.Outcome) { out = o })
	ok(t, w.Close(ctx))
	if out.Err == nil || schema.Remedy(out.Err) == "" {
		t.Errorf("%v with remedy %q, want an error with one", out.Err, schema.Remedy(out.Err))
	}
	return out.Err
}

// TestDataThatAreNotThere: a run without its data, or with other data than its ID names, is not started.
func TestDataThatAreNotThere(t *testing.T) {
	r := walkRun(t, "as-written")
	walk, plain := ownWalk(t, r, 0, 2), plainD(t, r)
	nobody := walk
	nobody.Data = nil
	noData, more := plain, plain
	noData.Spec.Data, noData.Data = schema.Digest{}, nil
	more.Target = 2
	for name, job := range map[string]replay.Job{"not given": nobody, "rows without data": noData,
		"rows of two iterations": more} {
		store := newStore(t, tracker.Options{})
		err := refused(t, store, job)
		if want := name == "not given"; errors.Is(err, stages.ErrNoData) != want {
			t.Errorf("%s: %v", name, err)
		}
		if runs := selected(t, store); len(runs) > 0 {
			t.Errorf("%s: a run was made", name)
		}
	}
	other := ownWalk(t, r, 1, 2)
	for name, change := range map[string]func(*replay.Job){
		"other data":    func(j *replay.Job) { j.Data = plain.Data },
		"options' data": func(j *replay.Job) { j.Data, j.Spec.Data = other.Data, other.Spec.Data },
		"fewer steps":   func(j *replay.Job) { j.Spec.Steps-- },
		"twice":         func(j *replay.Job) { j.Data = append(j.Data[:1:1], j.Data[0]) },
		"in part":       func(j *replay.Job) { j.Data = [][]byte{} },
		"no records":    func(j *replay.Job) { j.Data = [][]byte{[]byte("data")} },
	} {
		job := walk
		change(&job)
		store := newStore(t, tracker.Options{})
		var out replay.Outcome
		ctx := context.Background()
		ok(t, store.Create(ctx))
		w := groupcommit.Start(ctx, store)
		replay.NewEngine(store, w, replay.Options{}).Run(ctx, job, func(o replay.Outcome) { out = o })
		ok(t, w.Close(ctx))
		if out.Err == nil || out.Iterations > 0 {
			t.Errorf("%s: %d iterations, %v", name, out.Iterations, out.Err)
		}
	}
}

// TestForgedData: other data than the run's ID says are found, even where every
// digest and link follows from them.
func TestForgedData(t *testing.T) {
	r := walkRun(t, "as-written")
	walkStore, walked := perform(t, ownWalk(t, r, 0, 2))
	plainStore, plain := perform(t, plainD(t, r))
	walk, rows := record(t, walkStore, walked), record(t, plainStore, plain)
	edit(t, walk, 0, schema.KindTransitions, 0, schema.DecodeTransitions, func(x *schema.Transitions) {
		x.Actions[7] ^= 1
	})
	edit(t, rows, 0, schema.KindRows, 0, schema.DecodeRows, func(x *schema.Rows) { x.Rows[0] -= 1 })
	for want, forged := range map[string]*recording{"≠≠=≠ ≠===": walk, "≠≠==": rows} {
		store, run := forged.write(t, nil)
		j := judge(t, store, run, replay.Scope{})
		wantVerdicts(t, j, want)
		if reason := j.Iterations[0].Stages[0].Reason; !strings.Contains(reason,
			fmt.Sprintf("with digest %.12s", run.Spec.Data)) {
			t.Errorf("reason %q", reason)
		}
	}
}

// TestAnyBitOfData flips single bits of a D that was given.
func TestAnyBitOfData(t *testing.T) {
	store, run := perform(t, plainD(t, walkRun(t, "as-written")))
	truth := record(t, store, run)
	random := rand.New(rand.NewPCG(20160519, 0))
	for range 100 {
		r := truth.clone()
		data := bytes.Clone(r.iterations[0][0].data)
		at, bit := random.IntN(len(data)), random.IntN(8)
		data[at] ^= 1 << bit
		r.iterations[0][0].data = data
		forged, run := r.write(t, nil)
		if got := []rune(drawn(judge(t, forged, run, replay.Scope{}))); got[0] != '≠' && got[0] != '!' {
			t.Errorf("bit %d of byte %d: judged %s", bit, at, string(got))
		}
	}
}

// TestDamagedData: if the data are lost, what depends on them is unjudged, and not called different.
func TestDamagedData(t *testing.T) {
	r := walkRun(t, "as-written")
	for _, c := range []struct {
		job  replay.Job
		want string
	}{{ownWalk(t, r, 0, 2), "!?=? ?==="}, {plainD(t, r), "!?=?"}} {
		whole, run := perform(t, c.job)
		name := iterationsOf(t, whole, run.ID)[0].Records[0].Name
		for _, damage := range damages {
			store := copyStore(t, whole.Path())
			spoil(t, store, damage(name))
			wantVerdicts(t, judge(t, store, run, replay.Scope{}), c.want)
		}
	}
}

// TestListedData: a plain D is one record, and nothing else is listed with it.
func TestListedData(t *testing.T) {
	store, run := perform(t, plainD(t, walkRun(t, "as-written")))
	r := record(t, store, run)
	more := r.clone()
	more.insert(t, 0, schema.KindRows, 0)
	forged, run := more.write(t, nil)
	if j := judge(t, forged, run, replay.Scope{}); j.Iterations[0].Identical {
		t.Errorf("a D recorded twice is judged %s", drawn(j))
	}
	if envs.HasActions(must(envs.NewEnv(run.Spec.Env))) {
		t.Error("somebody can walk among rows")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
