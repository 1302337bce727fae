package gc_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

func TestPruneDropsWhatIsNotKept(t *testing.T) {
	for _, c := range []struct {
		keep tracker.Retention
		want string
	}{
		{tracker.Retention{Kinds: tracker.PrunableKinds}, "tfvom tfvom tfvom"},
		{tracker.Retention{}, "....m ....m ....m"},
		{tracker.Retention{Kinds: []schema.Kind{schema.KindOption}}, "...om ...om ...om"},
		{tracker.Retention{Kinds: []schema.Kind{schema.KindFactors}, Last: 1}, ".f..m .f..m tfvom"},
		{tracker.Retention{Last: 2}, "....m tfvom tfvom"},
		{tracker.Retention{Last: 99}, "tfvom tfvom tfvom"},
	} {
		t.Run(c.want, func(t *testing.T) {
			s, _, id := NewStoreWithCompleteRun(t, 3)
			p := PruneTo(t, s, &c.keep, id)
			Equal(t, "records there", DrawRecords(t, s, id), c.want)
			Equal(t, "records dropped", p.Records, strings.Count(c.want, "."))
			Equal(t, "records in the file", countRecords(t, s), 15-p.Records)
			before := ReadFile(t, s.Path())
			p = PruneTo(t, s, &c.keep, id)
			Equal(t, "records dropped again", p.Records, 0)
			Equal(t, "pruned before", p.Runs[0].Already, strings.Count(c.want, "."))
			Equal(t, "the file is as it was", string(before) == string(ReadFile(t, s.Path())), true)
		})
	}
}

func TestKeepIsChecked(t *testing.T) {
	s, _, id := NewStoreWithCompleteRun(t, 1)
	for _, k := range []tracker.Retention{
		{Kinds: []schema.Kind{schema.KindMeasures}}, {Kinds: []schema.Kind{"nonsense"}}, {Last: -1},
		{Kinds: []schema.Kind{schema.KindOption, schema.KindFactors}}, {Kinds: []schema.Kind{schema.KindOption,
			schema.KindOption}},
	} {
		_, err := gc.Prune(t.Context(), s, gc.PruneOptions{Runs: []schema.Digest{id}, Retention: &k})
		WantErr(t, err, tracker.ErrInvalid)
		WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error { // as another program might have written it
			OK(t, rows.Write(tx.Rows(), rows.BucketKeeps, id[:], k))
			_, err := tx.ReadRetention(id)
			return err
		}), tracker.ErrDamaged)
	}
	_, err := gc.Prune(t.Context(), s, gc.PruneOptions{
		Runs: []schema.Digest{schema.Name(nil)}, Retention: &tracker.Retention{},
	})
	WantErr(t, err, tracker.ErrMissing)
	Equal(t, "records there", DrawRecords(t, s, id), "tfvom")
}

// TestUnfinishedRunsKeepWhatTheyNeed: what an unfinished run needs to continue is kept until it is
// complete.
func TestUnfinishedRunsKeepWhatTheyNeed(t *testing.T) {
	s, _, id := NewStoreWithCompleteRun(t, 3)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.UpdateAnnotation(id,
			func(a *tracker.Annotation) { a.Target = 4 })
	}))
	p := PruneTo(t, s, &tracker.Retention{}, id)
	Equal(t, "unfinished", p.Runs[0].Unfinished, true)
	Equal(t, "records there", DrawRecords(t, s, id), "...om ...om tfvom")
	w := groupcommit.Start(t.Context(), s)
	r, st := Acquire(t, w, 1, 4)
	Equal(t, "keeps", len(st.Retention.Kinds), 0)
	SealAllKinds(t, r, 3, "3")
	OK(t, w.Close(t.Context()))
	Equal(t, "when it is complete", DrawRecords(t, s, id), "....m ....m ....m ....m")
}

func TestPruneSparesWhatOthersKeep(t *testing.T) {
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	var ids []schema.Digest
	for seed := range uint64(3) {
		r, _ := Acquire(t, w, seed, 1)
		SealAllKinds(t, r, 0, "shared")
		ids = append(ids, r.ID())
	}
	open, _ := Acquire(t, w, 3, 1)
	name, err := open.Put([]byte("value shared"))
	OK(t, err)
	OK(t, open.SealCheckpoint(nil, Entries(name)))
	OK(t, w.Close(t.Context()))

	Equal(t, "dropped while two keep them", PruneTo(t, s, &tracker.Retention{}, ids[0]).Records, 0)
	dry, err := gc.Prune(t.Context(), s, gc.PruneOptions{Runs: ids[1:], Retention: &tracker.Retention{}, DryRun: true})
	OK(t, err)
	Equal(t, "would go", dry.Records, 3)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { _, err := gc.RemoveInTx(tx, ids[2]); return err }))
	Equal(t, "dropped while one keeps them", DrawRecords(t, s, ids[0]), "tfvom")
	pruned := PruneTo(t, s, &tracker.Retention{Kinds: []schema.Kind{schema.KindFactors}}, ids[1])
	Equal(t, "dropped at last", pruned.Records, 2)
	Equal(t, "kept by the checkpoint", DrawRecords(t, s, ids[0]), ".fv.m")
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { _, err := gc.RemoveInTx(tx, ids[1]); return err }))
	Equal(t, "kept by a run that is gone", DrawRecords(t, s, ids[0]), "..v.m")
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { _, err := gc.RemoveInTx(tx, ids[0], open.ID()); return err }))
	Equal(t, "left", countRecords(t, s), 0)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		Equal(t, "tombstones", len(tx.Rows().Keys(rows.BucketDigests, nil)), 0)
		Equal(t, "keeps", len(tx.Rows().Keys(rows.BucketKeeps, nil)), 0)
		return nil
	}))
}

func TestWhatWasGivenIsNeverPruned(t *testing.T) {
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	given := Spec(1)
	given.Data = schema.Name([]byte("data"))
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: given, Target: 2})
	OK(t, err)
	SealAllKinds(t, r, 0, "0")
	SealAllKinds(t, r, 1, "1")
	OK(t, w.Close(t.Context()))
	PruneTo(t, s, &tracker.Retention{}, r.ID())
	Equal(t, "records there", DrawRecords(t, s, r.ID()), "t...m ....m")
}

func TestPruneLeavesRunsAtWorkAlone(t *testing.T) {
	s, _, id := NewStoreWithCompleteRun(t, 2)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	other, _ := Acquire(t, w, 2, 2)
	SealAllKinds(t, other, 0, "own")
	OK(t, w.Flush(t.Context()))
	p := PruneTo(t, SecondStore(s), &tracker.Retention{}, other.ID(), id)
	WantErr(t, p.Runs[0].Err, tracker.ErrLocked)
	OK(t, p.Runs[1].Err)
	Equal(t, "at work", DrawRecords(t, s, other.ID()), "tfvom")
	Equal(t, "not at work", DrawRecords(t, s, id), "....m ....m")
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		k, err := tx.ReadRetention(other.ID())
		Equal(t, "said of it", k == nil, true)
		return err
	}))
}

// TestPruneGoesOnFromAnyTransaction: after an interruption the same call completes the work.
func TestPruneGoesOnFromAnyTransaction(t *testing.T) {
	t.Parallel()
	n := schematest.Size(10, 20)
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	r, _ := Acquire(t, w, 1, 2)
	for k := range 2 {
		var list []schema.Entry
		for i := range n {
			name, err := r.Put(append([]byte("value "), RandomBytes(2<<20, uint64(100*k+i))...))
			OK(t, err)
			list = append(list, schema.Entry{Kind: schema.KindValue, Name: name})
		}
		OK(t, r.SealIteration(k, schema.Iteration{Link: LinkOf(r.ID(), k), Records: list}, tracker.Cost{}))
	}
	OK(t, w.Close(t.Context()))
	for last := 0; last < 2*n; {
		setRetention(t, s, tracker.Retention{}, r.ID())
		p := gc.NewPruner(s, []schema.Digest{r.ID()})
		OK(t, p.Step(t.Context()))
		if size := p.BatchSize(); size > portion.Staged+3<<20 {
			t.Errorf("%d bytes were looked at", size)
		}
		gone := strings.Count(DrawRecords(t, s, r.ID()), ".")
		if gone <= last || gone > last+8 {
			t.Fatalf("%d records are gone, %d were before", gone, last)
		}
		last = gone
		Equal(t, "orphans", UnreferencedRecords(t, s), 0)
	}
}

// TestPruneBesideAWriter: records that a run begins to retain during a pruning are kept.
func TestPruneBesideAWriter(t *testing.T) {
	s := NewStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 1500, 1)
	late := SecondStore(s)
	ids := runIDs(t, s)
	setRetention(t, s, tracker.Retention{}, ids...)
	p := gc.NewPruner(s, ids)
	OK(t, p.Step(t.Context()))
	if p.IsDone() {
		t.Fatal("it was one transaction")
	}
	victim := ids[len(ids)-1]
	OK(t, late.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.SetRetention(victim, tracker.Retention{Kinds: tracker.PrunableKinds})
	}))
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), late))
	held, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: TinySpec(1)})
	OK(t, err)
	OK(t, p.Run(t.Context()))
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for _, id := range ids {
			its, err := tx.ReadIterations(id)
			OK(t, err)
			stays := id == victim || id == held.ID()
			for _, e := range its[0].Records {
				Equal(t, "there", tx.HasRecord(e.Name), stays)
			}
		}
		return nil
	}))
	reasons := 0
	for _, r := range p.Result().Runs {
		if r.Reason != "" {
			reasons++
		}
	}
	Equal(t, "left alone", reasons, 1)
	Equal(t, "dropped", p.Result().Records, 2*(len(ids)-2))
}

// TestPruneStopsAtDamage: a row that cannot be read may retain any record.
func TestPruneStopsAtDamage(t *testing.T) {
	s, _, id := NewStoreWithCompleteRun(t, 2)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		other := schema.Name([]byte("other"))
		return tx.Rows().Bucket(rows.BucketIterations).Put(rows.PartKey(other, 0), []byte("damaged row"))
	}))
	_, err := gc.Prune(t.Context(), s, gc.PruneOptions{Runs: []schema.Digest{id}, Retention: &tracker.Retention{}})
	WantErr(t, err, tracker.ErrDamaged)
	Equal(t, "records there", DrawRecords(t, s, id), "tfvom tfvom")
}

func TestRestoreBringsBack(t *testing.T) {
	s, _, id := NewStoreWithCompleteRun(t, 2)
	PruneTo(t, s, &tracker.Retention{}, id)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		mended, err := tx.RestoreRecord([]byte("value 1"))
		Equal(t, "mended", mended, true)
		return err
	}))
	Equal(t, "records there", DrawRecords(t, s, id), "....m ..v.m")
	Equal(t, "orphans", UnreferencedRecords(t, s), 0)
	PruneTo(t, s, nil, id) // the retention still holds
	Equal(t, "records there", DrawRecords(t, s, id), "....m ....m")
}

// setRetention sets the retention of runs.
func setRetention(t *testing.T, s *tracker.Store, keep tracker.Retention, ids ...schema.Digest) {
	t.Helper()
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for _, id := range ids {
			OK(t, tx.SetRetention(id, keep))
		}
		return nil
	}))
}

// countRecords returns the number of records in the file.
func countRecords(t *testing.T, s *tracker.Store) (n int) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		n = len(tx.Rows().Keys(rows.BucketRecords, nil))
		return nil
	}))
	return n
}
