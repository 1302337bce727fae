package replay_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/repair"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

var manyRepairs = flag.Int("repairs", 0, "damage and repair so many files, 0 for a few dozen")

func allRuns(schema.Digest) bool { return true }

// TestRepairDamaged damages files at random places, as a disk does, and repairs them. Whatever is left of the runs must
// be what it was: the same heads, or fewer iterations if a loss is reported.
func TestRepairDamaged(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	forked := fork(t, store, run, 2, 4, kappa(3))
	heads := map[schema.Digest]schema.Digest{}
	for _, r := range []tracker.Run{run, forked} {
		its := iterationsOf(t, store, r.ID)
		heads[r.ID] = its[len(its)-1].Link
	}
	sound := readFile(t, store.Path())
	random := rand.New(rand.NewPCG(5, 8))
	whole, rounds := 0, max(schematest.Size(12, 60), *manyRepairs)
	for round := range rounds {
		damaged := append([]byte(nil), sound...)
		for range 1 + round%5 {
			at, n := random.IntN(len(damaged)), 1+random.IntN(64)
			switch round % 6 {
			case 4: // whole pages
				at, n = at>>14<<14, 1<<14
			case 5: // both meta pages
				at, n = random.IntN(2)<<14, 128
			}
			for i := range min(n, len(damaged)-at) {
				damaged[at+i] = byte(random.Uint32())
			}
		}
		if repairs(t, damaged, heads, round) {
			whole++
		}
	}
	if whole < rounds*3/4 {
		t.Errorf("only %d of %d files were repaired", whole, rounds)
	}
	t.Logf("%d of %d files have all heads again", whole, rounds)
}

// TestRepairCut truncates a file at every page. Either the rest is no store, or the runs that are left replay
// identical, or their losses are reported.
func TestRepairCut(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 2})
	its := iterationsOf(t, store, run.ID)
	sound := readFile(t, store.Path())
	heads := map[schema.Digest]schema.Digest{run.ID: its[1].Link}
	const page = 16 << 10
	for cut := 0; cut < len(sound); cut += page {
		path := t.TempDir() + "/podtrack.db"
		ok(t, os.WriteFile(path, sound[:cut], 0o600))
		repair, err := repair.Begin(context.Background(), tracker.New(path, tracker.Options{}))
		if err != nil {
			if !errors.Is(err, tracker.ErrNotStore) {
				t.Errorf("cut at page %d: %v", cut/page, err)
			}
			continue
		}
		repaired, err := replay.Repair(context.Background(), repair, allRuns, replay.Options{})
		ok(t, err)
		for _, r := range repaired {
			for _, it := range judge(t, repair.NewStore, runOf(t, repair.NewStore, r.Run), replay.Scope{}).Iterations {
				if !it.Identical && len(r.Lost) == 0 {
					t.Errorf("cut at page %d: iteration %d: %+v", cut/page, it.K, it.Stages)
				}
			}
			if left := iterationsOf(t, repair.NewStore, r.Run); len(left) == len(its) && left[1].Link != heads[r.Run] {
				t.Errorf("cut at page %d: the head is %s", cut/page, left[1].Link)
			}
		}
		repair.Close()
	}
}

// TestUnprune brings back what was pruned, all of it and after any pruning, by
// the digests that the chain names.
func TestUnprune(t *testing.T) {
	for _, reading := range schema.Readings() {
		spec := small()
		ok(t, spec.SetReading(reading))
		store, run := perform(t, replay.Job{Spec: spec, Target: 4})
		names := namesOf(iterationsOf(t, store, run.ID))
		for _, keep := range []keeping{{}, {Kinds: []schema.Kind{schema.KindOption}}, {Last: 1},
			{Kinds: []schema.Kind{schema.KindTransitions, schema.KindValue}, Last: 2}} {
			pruned := prune(t, store, run, keep)
			back, err := replay.Unprune(context.Background(), store, run, replay.Options{})
			ok(t, err)
			if len(back.Lost) > 0 || len(back.Recomputed) != pruned || pruned == 0 {
				t.Fatalf("%s, %+v: %d pruned, %d back, lost %v", reading, keep, pruned, len(back.Recomputed),
					back.Lost)
			}
			view(t, store, func(tx *tracker.Tx) error {
				for _, name := range names {
					if _, err := tx.ReadRecord(name); err != nil {
						t.Error(err)
					}
				}
				if k, err := tx.ReadRetention(run.ID); k != nil || err != nil {
					t.Errorf("it keeps %v, %v", k, err)
				}
				return nil
			})
		}
	}
}

// TestRepairPruned: damage of a run of which a part was pruned is mended, and what
// was pruned stays so.
func TestRepairPruned(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	its := iterationsOf(t, store, run.ID)
	pruned := prune(t, store, run, keeping{Kinds: []schema.Kind{schema.KindTransitions, schema.KindFactors}})
	lost := append(its[2].RecordsOf(schema.KindTransitions), its[1].RecordsOf(schema.KindFactors)...)
	lose(t, store, rand.New(rand.NewPCG(1, 2)), lost...)
	repair, err := repair.Begin(context.Background(), store)
	ok(t, err)
	defer repair.Close()
	repaired, err := replay.Repair(context.Background(), repair, allRuns, replay.Options{})
	ok(t, err)
	if r := repaired[0]; len(r.Recomputed) != len(lost) || len(r.Lost) > 0 || r.Failed != "" {
		t.Fatalf("%+v", r)
	}
	count := 0
	view(t, repair.NewStore, func(tx *tracker.Tx) error {
		for _, name := range namesOf(its) {
			if _, err := tx.ReadRecord(name); errors.Is(err, tracker.ErrPruned) {
				count++
			} else if err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if count != pruned {
		t.Errorf("%d records are pruned, %d were", count, pruned)
	}
	_, err = repair.Replace(context.Background())
	ok(t, err)
	wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(3, "===="))
}

// TestRepairAtWork: a store in which a living process works on a run is not repaired before it is done;
// then all runs are. The numbers of removed runs are not given again.
func TestRepairAtWork(t *testing.T) {
	ctx := context.Background()
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	other, last := small(), small()
	other.Seed, last.Seed = 1, 2
	made := runJobs(t, store, []replay.Job{{Spec: other, Target: 2}, {Spec: last, Target: 1}}, 1)
	_, err := gc.Remove(ctx, store, []schema.Digest{made[1].Run})
	ok(t, err)
	w := groupcommit.Start(ctx, store)
	_, _, err = w.Acquire(ctx, tracker.Claim{Spec: run.Spec, Target: 4})
	ok(t, err)
	ok(t, w.Flush(ctx))
	spoilRow(t, store, "iterations", binary.BigEndian.AppendUint32(slices.Clone(run.ID[:]), 1))
	lose(t, store, rand.New(rand.NewPCG(1, 2)), iterationsOf(t, store, made[0].Run)[0].RecordsOf(schema.KindFactors)...)

	var held *tracker.HeldError
	if _, err := repair.Begin(ctx, store); !errors.As(err, &held) || held.Run != run.ID {
		t.Fatalf("error %v, want one about run %s", err, run.ID)
	}
	ok(t, w.Close(ctx))
	repair, err := repair.Begin(ctx, store)
	ok(t, err)
	defer repair.Close()
	repaired, err := replay.Repair(ctx, repair, allRuns, replay.Options{})
	ok(t, err)
	for _, r := range repaired {
		if r.Failed != "" || len(r.Lost) > 0 {
			t.Errorf("%+v", r)
		}
	}
	wantVerdicts(t, judge(t, repair.NewStore, run, replay.Scope{}), all(3, "===="))
	wantVerdicts(t, judge(t, repair.NewStore, runOf(t, repair.NewStore, made[0].Run), replay.Scope{}), all(2, "===="))
	again := runJobs(t, repair.NewStore, []replay.Job{{Spec: last, Target: 1}}, 1)[0]
	if again := runOf(t, repair.NewStore, again.Run); again.Number != 4 {
		t.Errorf("the run that was removed and made again has number %d", again.Number)
	}
}

// TestRepairOfARunThatFails: where a run cannot be replayed here, what is known of it after a gap stays.
func TestRepairOfARunThatFails(t *testing.T) {
	ok(t, registerTraps())
	setTrap("", 0)
	spec := pod.NewSpec(schema.Env{Name: "test.example/trap", Version: 1, Params: map[string]int64{}})
	spec.Steps, spec.Kappa = 300, 0.5
	store, run := perform(t, replay.Job{Spec: spec, Target: 3})
	its := iterationsOf(t, store, run.ID)
	for _, lost := range [][]schema.Digest{nil, its[0].RecordsOf(schema.KindFactors)} {
		damaged := copyStore(t, store.Path())
		lose(t, damaged, rand.New(rand.NewPCG(1, 2)), lost...)
		spoilRow(t, damaged, "iterations", binary.BigEndian.AppendUint32(slices.Clone(run.ID[:]), 1))
		_, err := backup.Compact(t.Context(), damaged, nil) // so that no free page has the row
		ok(t, err)
		repair, err := repair.Begin(t.Context(), damaged)
		ok(t, err)
		defer repair.Close()
		setTrap("Step", 0)
		repaired, err := replay.Repair(t.Context(), repair, allRuns, replay.Options{})
		setTrap("", 0)
		ok(t, err)
		if len(repair.Report.Gaps) != 1 || repaired[0].Failed == "" {
			t.Errorf("gaps %+v, failed: %q", repair.Report.Gaps, repaired[0].Failed)
		}
		view(t, repair.NewStore, func(tx *tracker.Tx) error {
			it, err := tx.ReadIteration(run.ID, 2)
			if it.Link != its[2].Link {
				t.Errorf("%d records lost: iteration 2 has link %s, want %s", len(lost), it.Link, its[2].Link)
			}
			return err
		})
	}
}

// repairs reports whether all heads are back.
func repairs(t *testing.T, file []byte, heads map[schema.Digest]schema.Digest, round int) bool {
	path := t.TempDir() + "/podtrack.db"
	ok(t, os.WriteFile(path, file, 0o600))
	repair, err := repair.Begin(context.Background(), tracker.New(path, tracker.Options{}))
	if err != nil {
		t.Logf("round %d: %v", round, err)
		return false
	}
	defer repair.Close()
	repaired, err := replay.Repair(context.Background(), repair, allRuns, replay.Options{})
	ok(t, err)
	whole := len(repaired) == len(heads)
	for _, r := range repaired {
		its := iterationsOf(t, repair.NewStore, r.Run)
		if r.Failed != "" || len(r.Lost) > 0 {
			t.Logf("round %d: run %.7s: %q, %d lost", round, r.Run, r.Failed, len(r.Lost))
			whole = false
			continue
		}
		if len(its) == 0 || its[len(its)-1].Link != heads[r.Run] {
			t.Logf("round %d: run %.7s has %d iterations; %+v", round, r.Run, len(its), repair.Report)
			whole = false
		}
		judged := judge(t, repair.NewStore, runOf(t, repair.NewStore, r.Run), replay.Scope{})
		for _, it := range judged.Iterations {
			if !it.Identical {
				t.Fatalf("round %d: iteration %d: %+v", round, it.K, it.Stages)
			}
		}
	}
	_, err = repair.Replace(context.Background())
	ok(t, err)
	return whole
}

// TestUnpruneOfARunThatIsRemoved removes a run before what was pruned of it comes back,
// and while it does: nothing of it stays.
func TestUnpruneOfARunThatIsRemoved(t *testing.T) {
	whole, run := perform(t, replay.Job{Spec: small(), Target: 4})
	for _, when := range []string{"before", "meanwhile"} {
		store := copyStore(t, whole.Path())
		prune(t, store, run, keeping{})
		removed := false
		remove := func() {
			if removed {
				return
			}
			removed = true
			_, err := gc.Remove(t.Context(), store, []schema.Digest{run.ID})
			ok(t, err)
		}
		if when == "before" {
			remove()
		}
		back, err := replay.Unprune(t.Context(), store, run, replay.Options{Report: func(replay.Event) { remove() }})
		if !errors.Is(err, replay.ErrRemoved) || len(back.Recomputed) > 0 {
			t.Errorf("%s: %d records came back, %v", when, len(back.Recomputed), err)
		}
		c, err := check.Run(t.Context(), store, check.Options{})
		ok(t, err)
		if !removed || c.Unused > 0 || len(c.Damaged) > 0 {
			t.Errorf("%s: %d unused records, damaged: %v", when, c.Unused, c.Damaged)
		}
	}
}
