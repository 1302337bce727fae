package replay_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A keeping says which records a test leaves of a run: those of some kinds, and all of its last iterations, which a run
// keeps only until it is complete.
type keeping struct {
	Kinds []schema.Kind
	Last  int
}

// prune drops the other records of a run, as if it had not kept them, and returns their number.
func prune(t testing.TB, store *tracker.Store, run tracker.Run, keep keeping) (dropped int) {
	t.Helper()
	its := iterationsOf(t, store, run.ID)
	left, gone := map[schema.Digest]bool{}, map[schema.Digest]bool{}
	for k, it := range its {
		rule := tracker.NewRetentionRule(run, tracker.Retention{Kinds: keep.Kinds}, len(its), false)
		for _, e := range it.Records {
			if k >= len(its)-keep.Last || rule.Retains(k, e.Kind) {
				left[e.Name] = true
			} else {
				gone[e.Name] = true
			}
		}
	}
	ok(t, store.Update(context.Background(), func(tx *tracker.Tx) error {
		for name := range gone {
			if left[name] || tx.Rows().IsPruned(name) {
				continue
			}
			dropped++
			if _, err := tx.Rows().PutTombstone(name); err != nil {
				return err
			}
		}
		return tx.SetRetention(run.ID, tracker.Retention{Kinds: keep.Kinds})
	}))
	return dropped
}

var keepings = map[string]keeping{
	"nothing":                  {},
	"options":                  {Kinds: []schema.Kind{schema.KindOption}},
	"values":                   {Kinds: []schema.Kind{schema.KindValue}},
	"transitions":              {Kinds: []schema.Kind{schema.KindTransitions}},
	"factors":                  {Kinds: []schema.Kind{schema.KindFactors}, Last: 1},
	"the last two":             {Last: 2},
	"what is needed to go on":  {Kinds: []schema.Kind{schema.KindOption}, Last: 1},
	"what options are made of": {Kinds: []schema.Kind{schema.KindTransitions, schema.KindFactors}},
}

// TestPrunedRunsReplayIdentical judges pruned runs, completely and by samples: the digest of a pruned record proves
// what is computed again.
func TestPrunedRunsReplayIdentical(t *testing.T) {
	for _, reading := range schema.Readings() {
		spec := small()
		ok(t, spec.SetReading(reading))
		whole, run := perform(t, replay.Job{Spec: spec, Target: 4})
		for name, keep := range keepings {
			t.Run(reading+"/"+name, func(t *testing.T) {
				store := copyStore(t, whole.Path())
				gone := prune(t, store, run, keep)
				j := judge(t, store, run, replay.Scope{})
				wantVerdicts(t, j, all(4, "===="))
				if j.CountPruned() < gone || gone == 0 { // a record may be listed twice
					t.Errorf("%d records by digest alone, %d are gone", j.CountPruned(), gone)
				}
				for n := 1; n <= 3; n++ {
					if j := judge(t, store, run, sampled(n, 3)); strings.ContainsAny(drawn(j), "≠!?") {
						t.Errorf("part %d of 3: %s", n, drawn(j))
					}
				}
			})
		}
	}
}

// TestForgeriesThatWerePruned prunes a forged record. Its digest is still wrong, and what was made from the record
// cannot be judged.
func TestForgeriesThatWerePruned(t *testing.T) {
	for _, c := range []struct {
		name string
		lie  func(*testing.T, *recording) replay.Difference
		keep keeping
		want string
	}{
		{"a value", valueEdit(1, 2, 17, 0), keeping{}, "==== ==≠= ==== ===="},
		{"a value that is there", valueEdit(1, 2, 17, 0), keepings["values"], "==== ==≠= ==== ===="},
		{
			"factors", factorsEdit(1, func(f *schema.Factors, d *replay.Difference) { f.Sigma[3] *= 1.5 }),
			keeping{}, "==== =≠?? ???? ????",
		},
		{
			"factors, with options there",
			factorsEdit(1, func(f *schema.Factors, d *replay.Difference) { f.Sigma[3] *= 1.5 }), keepings["options"],
			"==== =≠?? ==== ====",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := smallRun(t)
			lie := c.lie(t, r)
			store, run := r.write(t, nil)
			prune(t, store, run, c.keep)
			j := judge(t, store, run, replay.Scope{})
			wantVerdicts(t, j, c.want)
			if j.First == nil || j.First.K != lie.K || j.First.Stage != lie.Stage || j.First.Part != lie.Part {
				t.Errorf("first difference %v, want %v", j.First, lie)
			}
			if there := len(c.keep.Kinds) == 1 && c.keep.Kinds[0] == lie.Record; (j.First.Field == "digest") == there {
				t.Errorf("the difference is in %s", j.First.Field)
			}
		})
	}
}

// TestPrunedRunsGoOn: a pruned run that has what it needs is resumed to the head of an unpruned one. One that lacks
// something is refused before anything is written.
func TestPrunedRunsGoOn(t *testing.T) {
	for _, reading := range schema.Readings() {
		spec := small()
		ok(t, spec.SetReading(reading))
		longer := replay.Job{Spec: spec, Target: 5}
		other, want := perform(t, longer)
		whole, run := perform(t, replay.Job{Spec: spec, Target: 4})
		for name, keep := range keepings {
			t.Run(reading+"/"+name, func(t *testing.T) {
				store := copyStore(t, whole.Path())
				prune(t, store, run, keep)
				before := readFile(t, store.Path())
				goesOn := name == "what is needed to go on"
				err := replay.CheckJobs(t.Context(), store, []replay.Job{longer}, replay.Options{})
				if !errors.Is(err, tracker.ErrPruned) && !goesOn {
					t.Fatalf("without %v: %v", name, err)
				}
				if goesOn {
					ok(t, err)
					runJobs(t, store, []replay.Job{longer}, 1)
					wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(5, "===="))
					if a, b := iterationsOf(t, store, run.ID), iterationsOf(t, other, want.ID); a[4].Link != b[4].Link {
						t.Errorf("head %s, want %s", a[4].Link, b[4].Link)
					}
					return
				}
				if !strings.Contains(schema.Remedy(err), "pruned of run "+run.ID.String()[:12]) {
					t.Errorf("remedy %q", schema.Remedy(err))
				}
				if !bytes.Equal(before, readFile(t, store.Path())) {
					t.Error("something was written")
				}
				_, err = replay.Verify(t.Context(), store, run, only(2), replay.Options{})
				if !errors.Is(err, replay.ErrUnverifiable) && !strings.HasPrefix(name, "the last") {
					t.Errorf("iteration 2 alone: %v", err)
				}
				fork := forkJob(t, store, run, 4, 5, kappa(2))
				err = replay.CheckJobs(t.Context(), store, []replay.Job{fork}, replay.Options{})
				if !errors.Is(err, tracker.ErrPruned) {
					t.Errorf("a fork: %v", err)
				}
			})
		}
	}
}

// TestRunsPruneAsTheyGo comes to the same heads, with what is kept and no more.
func TestRunsPruneAsTheyGo(t *testing.T) {
	keep := tracker.Retention{Kinds: []schema.Kind{schema.KindFactors}}
	whole, run := perform(t, replay.Job{Spec: small(), Target: 4})
	prune(t, whole, run, keeping{Kinds: keep.Kinds})
	store, again := perform(t, replay.Job{Spec: small(), Target: 4, Keep: &keep})
	records := func(s *tracker.Store) (d report.Detail) {
		view(t, s, func(tx *tracker.Tx) error {
			r, err := report.LoadRun(tx, run.ID.String())
			if err == nil {
				d, err = report.Describe(tx, r)
			}
			return err
		})
		return d
	}
	got, want := records(store), records(whole)
	if *got.Head != *want.Head || again.ID != run.ID {
		t.Errorf("head %s, want %s", got.Head, want.Head)
	}
	if pruned, _ := got.Pruned(); pruned == 0 {
		t.Error("nothing was pruned")
	}
	for k, it := range want.History {
		for i, r := range it.Records {
			if got.History[k].Records[i] != r {
				t.Errorf("iteration %d: record %d is %v, want %v", k, i, got.History[k].Records[i], r)
			}
		}
		if (it.Sigma == nil) != (got.History[k].Sigma == nil) || got.History[k].Sigma == nil {
			t.Errorf("iteration %d: σ %v", k, got.History[k].Sigma)
		}
	}
	prune(t, store, again, keeping{})
	if d := records(store); d.History[3].Sigma != nil || d.History[3].Purposes != want.History[3].Purposes {
		t.Errorf("without factors: σ %v, %d purposes", d.History[3].Sigma, d.History[3].Purposes)
	}
}

// TestPrunedDataReplay keeps what was given to a run, whatever is pruned of it.
func TestPrunedDataReplay(t *testing.T) {
	for _, job := range []replay.Job{ownWalk(t, walkRun(t, "as-written"), 0, 3), plainD(t, walkRun(t, "as-written"))} {
		store, run := perform(t, job)
		if prune(t, store, run, keeping{}) == 0 {
			t.Error("nothing was pruned")
		}
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(job.Target, "===="))
	}
}
