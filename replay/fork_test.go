package replay_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// forkJob returns a fork of a run before its iteration k.
func forkJob(
	t testing.TB, store *tracker.Store, parent tracker.Run, k, target int, change func(*schema.Spec),
) replay.Job {
	t.Helper()
	spec := parent.Spec
	change(&spec)
	link := iterationsOf(t, store, parent.ID)[k-1].Link
	return replay.Job{Spec: spec, Start: &link, Fork: &tracker.Fork{Parent: parent.ID, K: k}, Target: target}
}

// fork makes one.
func fork(
	t testing.TB, store *tracker.Store, parent tracker.Run, k, target int, change func(*schema.Spec),
) tracker.Run {
	t.Helper()
	return runOf(t, store, runJobs(t, store, []replay.Job{forkJob(t, store, parent, k, target, change)}, 1)[0].Run)
}

func kappa(x float64) func(*schema.Spec) { return func(s *schema.Spec) { s.Kappa = x } }

func TestForkReplaysIdentical(t *testing.T) {
	changes := map[string]func(*schema.Spec){
		"seed":      func(s *schema.Spec) { s.Seed = 7 },
		"steps":     func(s *schema.Spec) { s.Steps = 150 },
		"kappa":     kappa(20),
		"gamma":     func(s *schema.Spec) { s.Gamma = 0.9 },
		"sweeps":    func(s *schema.Spec) { s.Sweeps = 7 },
		"tolerance": func(s *schema.Spec) { s.Tolerance = 0.25 },
		"basis": func(s *schema.Spec) {
			s.Basis = map[schema.Basis]schema.Basis{schema.RowsOfV: schema.RightSingular,
				schema.RightSingular: schema.RowsOfV}[s.Basis]
		},
	}
	for _, reading := range schema.Readings() {
		spec := small()
		ok(t, spec.SetReading(reading))
		store, parent := perform(t, replay.Job{Spec: spec, Target: 4})
		theirs := iterationsOf(t, store, parent.ID)
		for what, change := range changes {
			t.Run(reading+", "+what, func(t *testing.T) {
				child := fork(t, store, parent, 2, 4, change)
				wantVerdicts(t, judge(t, store, child, replay.Scope{}), all(4, "===="))
				for k := range 4 {
					wantVerdicts(t, judge(t, store, child, only(k)), "====")
				}
				ours := iterationsOf(t, store, child.ID)
				if diff := cmp.Diff(theirs[:2], ours[:2]); diff != "" {
					t.Errorf("what is shared differs: %s", diff)
				}
				if ours[2].Link == theirs[2].Link || ours[3].Link == theirs[3].Link ||
					slices.Equal(ours[3].Records, theirs[3].Records) {
					t.Error("the change of spec changes nothing")
				}
			})
		}
	}
}

// TestForkNeedsNoParent removes the parent of a fork.
func TestForkNeedsNoParent(t *testing.T) {
	ctx := context.Background()
	store, parent := perform(t, replay.Job{Spec: small(), Target: 3})
	child := fork(t, store, parent, 2, 3, kappa(7))
	grandchild := fork(t, store, child, 3, 4, kappa(9))
	alone := iterationsOf(t, store, parent.ID)[2].RecordsOf(schema.KindOption) // a lower κ selects more
	shared := iterationsOf(t, store, parent.ID)[1].Records
	_, err := gc.Remove(ctx, store, []schema.Digest{parent.ID, child.ID})
	ok(t, err)
	view(t, store, func(tx *tracker.Tx) error {
		if tx.Rows().HasRecord(alone[len(alone)-1]) || !tx.Rows().HasRecord(shared[0].Name) {
			t.Error("a record of the parent alone is still there, or one of the fork is not")
		}
		r, err := report.LoadRun(tx, grandchild.ID.String())
		ok(t, err)
		options, err := report.LoadOptions(tx.View, r.Source)
		if len(options) != int(lastMeasures(t, store, grandchild).Available)+len(iterationsOf(t, store,
			grandchild.ID)[3].RecordsOf(schema.KindOption)) {
			t.Errorf("%d options can be read", len(options))
		}
		return err
	})
	wantVerdicts(t, judge(t, store, grandchild, replay.Scope{}), all(4, "===="))
	runJobs(t, store, []replay.Job{{Spec: grandchild.Spec, Start: grandchild.Start, Target: 6}}, 1)
	wantVerdicts(t, judge(t, store, runOf(t, store, grandchild.ID), replay.Scope{}), all(6, "===="))
}

func lastMeasures(t testing.TB, store *tracker.Store, run tracker.Run) (m schema.Measures) {
	t.Helper()
	its := iterationsOf(t, store, run.ID)
	view(t, store, func(tx *tracker.Tx) error {
		name, err := its[len(its)-1].OnlyRecord(schema.KindMeasures)
		ok(t, err)
		m, err = tracker.Load(tx, name, schema.DecodeMeasures)
		return err
	})
	return m
}

// stretch is an ancestor, named by the ID of its run.
type stretch struct {
	run   schema.Digest
	until int
}

func stretches(t testing.TB, r tracker.Run) []stretch {
	t.Helper()
	var list []stretch
	for _, a := range r.Ancestors {
		id, err := a.ID()
		ok(t, err)
		list = append(list, stretch{id, a.Until})
	}
	return list
}

// TestForksOfForks forks before, at and after the place where the parent itself was forked, and compares with a table
// which run made each iteration, and which link it follows.
func TestForksOfForks(t *testing.T) {
	store, a := perform(t, replay.Job{Spec: small(), Target: 4})
	b := fork(t, store, a, 2, 4, kappa(7))
	late := fork(t, store, b, 3, 4, kappa(9))
	at := fork(t, store, b, 2, 4, kappa(9))
	early := fork(t, store, b, 1, 3, kappa(9))
	deep := fork(t, store, late, 4, 6, kappa(12))
	for name, c := range map[string]struct {
		run      tracker.Run
		made     []float64 // κ of iterations 0, 1, …
		begins   map[int]tracker.Run
		ancestry []stretch
	}{
		"of no fork": {a, []float64{1, 1, 1, 1}, map[int]tracker.Run{0: a}, nil},
		"a fork":     {b, []float64{1, 1, 7, 7}, map[int]tracker.Run{0: a, 2: b}, []stretch{{a.ID, 2}}},
		"after it": {
			late, []float64{1, 1, 7, 9}, map[int]tracker.Run{0: a, 2: b, 3: late}, []stretch{{a.ID, 2}, {b.ID, 3}},
		},
		"at it":     {at, []float64{1, 1, 9, 9}, map[int]tracker.Run{0: a, 2: at}, []stretch{{a.ID, 2}}},
		"before it": {early, []float64{1, 9, 9}, map[int]tracker.Run{0: a, 1: early}, []stretch{{a.ID, 1}}},
		"of a fork's": {
			deep, []float64{1, 1, 7, 9, 12, 12}, map[int]tracker.Run{0: a, 2: b, 3: late, 4: deep},
			[]stretch{{a.ID, 2}, {b.ID, 3}, {late.ID, 4}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			its := iterationsOf(t, store, c.run.ID)
			if len(its) != len(c.made) {
				t.Fatalf("%d iterations, want %d", len(its), len(c.made))
			}
			link := schema.Name([]byte("not used before an iteration"))
			for k, want := range c.made {
				if got := c.run.SpecAt(k).Kappa; got != want {
					t.Errorf("iteration %d was made with κ %v, want %v", k, got, want)
				}
				chained := link
				if r, own := c.begins[k]; own {
					chained = r.ID
				}
				if got, err := c.run.PreviousLink(k, link); err != nil || got != chained {
					t.Errorf("iteration %d chains to %s, want %s: %v", k, got, chained, err)
				}
				if next, err := schema.Link(k, chained, its[k].Records); err != nil || next != its[k].Link {
					t.Errorf("iteration %d has the link %s, want %s: %v", k, its[k].Link, next, err)
				}
				link = its[k].Link
			}
			if got := c.run.SpecAt(100).Kappa; got != c.run.Spec.Kappa {
				t.Errorf("what comes later is made with κ %v", got)
			}
			if diff := cmp.Diff(c.ancestry, stretches(t, c.run), cmp.AllowUnexported(stretch{})); diff != "" {
				t.Error(diff)
			}
			wantVerdicts(t, judge(t, store, c.run, replay.Scope{}), all(len(its), "===="))
		})
	}
}

// TestForkOfTheWhole begins where the recorded run ends.
func TestForkOfTheWhole(t *testing.T) {
	store, parent := perform(t, replay.Job{Spec: small(), Target: 2})
	child := fork(t, store, parent, 2, 3, kappa(7))
	wantVerdicts(t, judge(t, store, child, replay.Scope{}), all(3, "===="))
	if diff := cmp.Diff(iterationsOf(t, store, parent.ID), iterationsOf(t, store, child.ID)[:2]); diff != "" {
		t.Error(diff)
	}
}

// TestSameForkTwice forks again with the same change, and of another run that
// shares the same iterations: it is the same run, and goes on.
func TestSameForkTwice(t *testing.T) {
	store, parent := perform(t, replay.Job{Spec: small(), Target: 4})
	child := fork(t, store, parent, 2, 3, kappa(7))
	again := runJobs(t, store, []replay.Job{forkJob(t, store, parent, 2, 4, kappa(7))}, 1)[0]
	if again.Run != child.ID || again.Resumed != 3 || again.Iterations != 4 {
		t.Errorf("run %s with %d of %d iterations there already, the first was %s", again.Run, again.Resumed,
			again.Iterations, child.ID)
	}
	sibling := fork(t, store, parent, 3, 4, kappa(11))
	if same := fork(t, store, sibling, 2, 4, kappa(7)); same.ID != child.ID || same.Number != child.Number {
		t.Errorf("by way of a sibling it is run %s, not %s", same.ID, child.ID)
	}
	if other := fork(t, store, parent, 3, 4, kappa(7)); other.ID == child.ID {
		t.Error("a fork elsewhere is the same run")
	}
}

// TestInterruptedFork stops a fork again and again. Its parent is needed only to create it; to continue it, the fork's
// own run suffices.
func TestInterruptedFork(t *testing.T) {
	store, parent := perform(t, replay.Job{Spec: small(), Target: 3})
	calm := copyStore(t, store.Path())
	want := iterationsOf(t, calm, fork(t, calm, parent, 2, 4, kappa(7)).ID)
	job := forkJob(t, store, parent, 2, 4, kappa(7))
	stops := 0
	for n := int64(1); ; n++ {
		out, done := interrupt(t, store, job, n)
		job.Fork = nil
		if done {
			if out.Head != want[3].Link {
				t.Errorf("head %s after %d interruptions, %s without", out.Head, stops, want[3].Link)
			}
			wantVerdicts(t, judge(t, store, runOf(t, store, out.Run), replay.Scope{}), all(4, "===="))
			break
		}
		if !errors.Is(out.Err, replay.ErrInterrupted) {
			t.Fatal(out.Err)
		}
		stops++
	}
	if stops < 3 {
		t.Errorf("only %d interruptions", stops)
	}
}

// TestForksThatCannotBe leaves nothing of a fork that was refused.
func TestForksThatCannotBe(t *testing.T) {
	ctx := context.Background()
	store, parent := perform(t, replay.Job{Spec: small(), Target: 3})
	good := forkJob(t, store, parent, 2, 3, kappa(7))
	elsewhere := iterationsOf(t, store, parent.ID)[0].Link
	for name, c := range map[string]struct {
		change func(*replay.Job)
		want   error
	}{
		"another link": {func(j *replay.Job) { j.Start = &elsewhere }, tracker.ErrInvalid},
		"no such parent": {
			func(j *replay.Job) { j.Fork = &tracker.Fork{Parent: elsewhere, K: 2} }, tracker.ErrMissing,
		},
		"beyond the end": {
			func(j *replay.Job) { j.Fork = &tracker.Fork{Parent: parent.ID, K: 4} }, tracker.ErrMissing,
		},
		"nothing to share": {func(j *replay.Job) { j.Fork = &tracker.Fork{Parent: parent.ID} }, tracker.ErrInvalid},
		"of nothing":       {func(j *replay.Job) { j.Fork = nil }, tracker.ErrMissing},
	} {
		t.Run(name, func(t *testing.T) {
			job := good
			c.change(&job)
			w := groupcommit.Start(ctx, store)
			var out replay.Outcome
			replay.NewEngine(store, w, replay.Options{}).Run(ctx, job, func(o replay.Outcome) { out = o })
			ok(t, w.Close(ctx))
			if !errors.Is(out.Err, c.want) {
				t.Errorf("got %v, want %v", out.Err, c.want)
			}
			id, err := job.ID()
			ok(t, err)
			view(t, store, func(tx *tracker.Tx) error {
				its, _ := tx.ReadIterations(id)
				if _, err := tx.ReadRun(id); !errors.Is(err, tracker.ErrMissing) || len(its) > 0 {
					t.Errorf("something is left: %v, %d iterations", err, len(its))
				}
				return nil
			})
		})
	}
}

// TestOtherRunsReplayIdentical covers what the forgeries do not: hidden bits, the
// paper's own size, one step, no purposes at all.
func TestOtherRunsReplayIdentical(t *testing.T) {
	for name, change := range map[string]func(*schema.Spec){
		"hidden bits":        func(s *schema.Spec) { s.Env.Params["hide"] = 3 },
		"twelve bits":        func(s *schema.Spec) { s.Env.Params["bits"], s.Steps = 12, 1000 },
		"one step":           func(s *schema.Spec) { s.Steps, s.Kappa = 1, 0 },
		"every direction":    func(s *schema.Spec) { s.Kappa = 0 },
		"null options":       func(s *schema.Spec) { s.Tolerance = 0.9 },
		"one bit, one sweep": func(s *schema.Spec) { s.Env.Params["bits"], s.Sweeps = 1, 1 },
	} {
		for _, reading := range schema.Readings() {
			t.Run(reading+", "+name, func(t *testing.T) {
				t.Parallel()
				spec := small()
				ok(t, spec.SetReading(reading))
				change(&spec)
				store, run := perform(t, replay.Job{Spec: spec, Target: 3})
				wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(3, "===="))
			})
		}
	}
}
