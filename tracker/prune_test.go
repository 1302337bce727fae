package tracker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

// sealAllKinds seals iteration k with a record of each prunable kind, and its measures. Their texts
// begin with the kind.
func sealAllKinds(t testing.TB, r *RunWriter, k int, text string) (entries []schema.Entry) {
	t.Helper()
	for _, kind := range []schema.Kind{schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption,
		schema.KindMeasures} {
		name, err := r.Put(fmt.Appendf(nil, "%s %s", kind, text))
		ok(t, err)
		entries = append(entries, schema.Entry{Kind: kind, Name: name})
	}
	ok(t, r.SealIteration(k, schema.Iteration{Link: modelLink(r.id, k), Records: entries}, Cost{}))
	return entries
}

// newStoreWithCompleteRun makes a store with a complete run of n iterations.
func newStoreWithCompleteRun(t testing.TB, n int) (*Store, Clock, schema.Digest) {
	t.Helper()
	s, c := NewStore(t)
	w := StartWriter(t.Context(), s)
	r, _ := Acquire(t, w, 1, n)
	for k := range n {
		sealAllKinds(t, r, k, fmt.Sprint(k))
	}
	ok(t, w.Close(t.Context()))
	return s, c, r.ID()
}

// drawRecords draws the run: a word for each iteration, with a letter for each existing record and
// a dot for each pruned one.
func drawRecords(t testing.TB, s *Store, id schema.Digest) string {
	t.Helper()
	var words []string
	ok(t, s.View(context.Background(), func(tx *Tx) error {
		its, err := tx.ReadIterations(id)
		ok(t, err)
		for _, it := range its {
			word := ""
			for _, e := range it.Records {
				record, err := tx.ReadRecord(e.Name)
				switch {
				case err == nil && strings.HasPrefix(string(record), string(e.Kind)):
					word += string(e.Kind[0])
				case errors.Is(err, ErrPruned) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrMissing) &&
					tx.IsPruned(e.Name):
					word += "."
				default:
					t.Errorf("record %q: %v", record, err)
				}
			}
			words = append(words, word)
		}
		return nil
	}))
	return strings.Join(words, " ")
}

func TestPruneDropsWhatIsNotKept(t *testing.T) {
	for _, c := range []struct {
		keep Retention
		want string
	}{
		{Retention{Kinds: PrunableKinds}, "tfvom tfvom tfvom"},
		{Retention{}, "....m ....m ....m"},
		{Retention{Kinds: []schema.Kind{schema.KindOption}}, "...om ...om ...om"},
		{Retention{Kinds: []schema.Kind{schema.KindFactors}, Last: 1}, ".f..m .f..m tfvom"},
		{Retention{Last: 2}, "....m tfvom tfvom"},
		{Retention{Last: 99}, "tfvom tfvom tfvom"},
	} {
		t.Run(c.want, func(t *testing.T) {
			s, _, id := newStoreWithCompleteRun(t, 3)
			p := PruneTo(t, s, &c.keep, id)
			equal(t, "records there", drawRecords(t, s, id), c.want)
			equal(t, "records dropped", p.Records, strings.Count(c.want, "."))
			equal(t, "records in the file", counts(t, s)[0], 15-p.Records)
			before := ReadFile(t, s.path)
			p = PruneTo(t, s, &c.keep, id)
			equal(t, "records dropped again", p.Records, 0)
			equal(t, "pruned before", p.Runs[0].Already, strings.Count(c.want, "."))
			equal(t, "the file is as it was", string(before) == string(ReadFile(t, s.path)), true)
		})
	}
}

func TestKeepIsChecked(t *testing.T) {
	s, _, id := newStoreWithCompleteRun(t, 1)
	for _, k := range []Retention{
		{Kinds: []schema.Kind{schema.KindMeasures}}, {Kinds: []schema.Kind{"nonsense"}}, {Last: -1},
		{Kinds: []schema.Kind{schema.KindOption, schema.KindFactors}}, {Kinds: []schema.Kind{schema.KindOption,
			schema.KindOption}},
	} {
		_, err := Prune(t.Context(), s, PruneOptions{Runs: []schema.Digest{id}, Retention: &k})
		wantErr(t, err, ErrInvalid)
		wantErr(t, s.Update(t.Context(), func(tx *Tx) error { // what somebody else wrote
			ok(t, rows.Write(tx.rows, rows.BucketKeeps, id[:], k))
			_, err := tx.ReadRetention(id)
			return err
		}), ErrDamaged)
	}
	_, err := Prune(t.Context(), s, PruneOptions{Runs: []schema.Digest{schema.Name(nil)}, Retention: &Retention{}})
	wantErr(t, err, ErrMissing)
	equal(t, "records there", drawRecords(t, s, id), "tfvom")
}

// TestUnfinishedRunsKeepWhatTheyNeed: what an unfinished run needs to continue is kept until it is
// complete.
func TestUnfinishedRunsKeepWhatTheyNeed(t *testing.T) {
	s, _, id := newStoreWithCompleteRun(t, 3)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return tx.UpdateAnnotation(id,
			func(a *Annotation) { a.Target = 4 })
	}))
	p := PruneTo(t, s, &Retention{}, id)
	equal(t, "unfinished", p.Runs[0].Unfinished, true)
	equal(t, "records there", drawRecords(t, s, id), "...om ...om tfvom")
	w := StartWriter(t.Context(), s)
	r, st := Acquire(t, w, 1, 4)
	equal(t, "keeps", len(st.Retention.Kinds), 0)
	sealAllKinds(t, r, 3, "3")
	ok(t, w.Close(t.Context()))
	equal(t, "when it is complete", drawRecords(t, s, id), "....m ....m ....m ....m")
}

func TestPruneSparesWhatOthersKeep(t *testing.T) {
	s, _ := NewStore(t)
	w := StartWriter(t.Context(), s)
	var ids []schema.Digest
	for seed := range uint64(3) {
		r, _ := Acquire(t, w, seed, 1)
		sealAllKinds(t, r, 0, "shared")
		ids = append(ids, r.ID())
	}
	open, _ := Acquire(t, w, 3, 1)
	name, err := open.Put([]byte("value shared"))
	ok(t, err)
	ok(t, open.SealCheckpoint(nil, Entries(name)))
	ok(t, w.Close(t.Context()))

	equal(t, "dropped while two keep them", PruneTo(t, s, &Retention{}, ids[0]).Records, 0)
	dry, err := Prune(t.Context(), s, PruneOptions{Runs: ids[1:], Retention: &Retention{}, DryRun: true})
	ok(t, err)
	equal(t, "would go", dry.Records, 3)
	ok(t, s.Update(t.Context(), func(tx *Tx) error { _, err := RemoveInTx(tx, ids[2]); return err }))
	equal(t, "dropped while one keeps them", drawRecords(t, s, ids[0]), "tfvom")
	equal(t, "dropped at last", PruneTo(t, s, &Retention{Kinds: []schema.Kind{schema.KindFactors}}, ids[1]).Records, 2)
	equal(t, "kept by the checkpoint", drawRecords(t, s, ids[0]), ".fv.m")
	ok(t, s.Update(t.Context(), func(tx *Tx) error { _, err := RemoveInTx(tx, ids[1]); return err }))
	equal(t, "kept by a run that is gone", drawRecords(t, s, ids[0]), "..v.m")
	ok(t, s.Update(t.Context(), func(tx *Tx) error { _, err := RemoveInTx(tx, ids[0], open.ID()); return err }))
	equal(t, "left", counts(t, s), [3]int{})
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		equal(t, "tombstones", len(tx.rows.Keys(rows.BucketDigests, nil)), 0)
		equal(t, "keeps", len(tx.rows.Keys(rows.BucketKeeps, nil)), 0)
		return nil
	}))
}

func TestWhatWasGivenIsNeverPruned(t *testing.T) {
	s, _ := NewStore(t)
	w := StartWriter(t.Context(), s)
	given := Spec(1)
	given.Data = schema.Name([]byte("data"))
	r, _, err := w.Acquire(t.Context(), Claim{Spec: given, Target: 2})
	ok(t, err)
	sealAllKinds(t, r, 0, "0")
	sealAllKinds(t, r, 1, "1")
	ok(t, w.Close(t.Context()))
	PruneTo(t, s, &Retention{}, r.ID())
	equal(t, "records there", drawRecords(t, s, r.ID()), "t...m ....m")
}

func TestPruneLeavesRunsAtWorkAlone(t *testing.T) {
	s, _, id := newStoreWithCompleteRun(t, 2)
	w := CloseAtEnd(t, StartWriter(t.Context(), s))
	other, _ := Acquire(t, w, 2, 2)
	sealAllKinds(t, other, 0, "own")
	ok(t, w.Flush(t.Context()))
	p := PruneTo(t, SecondStore(s), &Retention{}, other.ID(), id)
	wantErr(t, p.Runs[0].Err, ErrLocked)
	ok(t, p.Runs[1].Err)
	equal(t, "at work", drawRecords(t, s, other.ID()), "tfvom")
	equal(t, "not at work", drawRecords(t, s, id), "....m ....m")
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		k, err := tx.ReadRetention(other.ID())
		equal(t, "said of it", k == nil, true)
		return err
	}))
}

// TestRunPrunesAsItGoes: a run that is pruned while it runs can be resumed, and records that it
// puts again come back.
func TestRunPrunesAsItGoes(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	w := CloseAtEnd(t, StartWriter(t.Context(), s))
	r, _, err := w.Acquire(t.Context(),
		Claim{Spec: Spec(1), Target: 6, Retention: &Retention{Kinds: []schema.Kind{schema.KindFactors}}})
	ok(t, err)
	step := func(k int, want string) {
		t.Helper()
		name, err := r.Put(append([]byte("value "), RandomBytes(int(portion.Staged), uint64(k%2))...))
		ok(t, err)
		option, err := r.Put([]byte("option"))
		ok(t, err)
		list := []schema.Entry{{Kind: schema.KindValue, Name: name}, {Kind: schema.KindOption, Name: option}}
		ok(t, r.SealIteration(k, schema.Iteration{Link: modelLink(r.id, k), Records: list}, Cost{}))
		ok(t, w.Flush(t.Context()))
		for w.isPruneDue() { // one transaction each
			ok(t, w.Flush(t.Context()))
		}
		equal(t, "records there", drawRecords(t, s, r.ID()), want)
	}
	step(0, "vo")
	step(1, ".o vo")
	step(2, "vo .o vo") // as iteration 0, which keeps nothing of it
	step(3, ".o vo .o vo")
	ok(t, w.Close(t.Context()))
	equal(t, "interrupted", drawRecords(t, s, r.ID()), ".o vo .o vo")
	w = CloseAtEnd(t, StartWriter(t.Context(), s))
	r, _ = Acquire(t, w, 1, 6)
	step(4, "vo .o vo .o vo")
	step(5, ".. .. .. .. .. ..") // complete
}

// TestRecordsPutAgainAreKept: between two commits, records of the first may be pruned although the
// second names them again.
func TestRecordsPutAgainAreKept(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, StartWriter(t.Context(), s))
	r, _, err := w.Acquire(t.Context(), Claim{Spec: Spec(1), Target: 9, Retention: &Retention{}})
	ok(t, err)
	sealAllKinds(t, r, 0, "again")
	sealAllKinds(t, r, 1, "1")
	again, err := r.Put([]byte("value again")) // listed by iteration 3 alone
	ok(t, err)
	w.waitForClaims()
	units, err := w.collect()
	ok(t, err)
	two := sealAllKinds(t, r, 2, "again") // sealed while the commit is under way
	ok(t, s.Update(t.Context(), func(tx *Tx) error { return errors.Join(units[0].check(tx), units[0].apply(tx)) }))
	w.applyCommit(units, nil)
	ok(t, w.newWatchedPruner().pruneAll(t.Context()))
	equal(t, "in between", drawRecords(t, s, r.ID()), "...om tfvom")
	ok(t, w.Flush(t.Context()))
	ok(t, w.newWatchedPruner().pruneAll(t.Context()))
	equal(t, "after", drawRecords(t, s, r.ID()), "tfvom ...om tfvom")
	ok(t, r.SealIteration(3, schema.Iteration{Link: again,
		Records: append(two[:2:2], schema.Entry{Kind: schema.KindValue, Name: again})}, Cost{}))
	ok(t, w.Flush(t.Context()))
	ok(t, r.Err())
	ok(t, w.Close(t.Context()))
	equal(t, "bytes staged", len(r.staged), 0)
}

// TestPruneGoesOnFromAnyTransaction: after an interruption the same call completes the work.
func TestPruneGoesOnFromAnyTransaction(t *testing.T) {
	t.Parallel()
	n := schematest.Size(10, 20)
	s, _ := NewStore(t)
	w := StartWriter(t.Context(), s)
	r, _ := Acquire(t, w, 1, 2)
	for k := range 2 {
		var list []schema.Entry
		for i := range n {
			name, err := r.Put(append([]byte("value "), RandomBytes(2<<20, uint64(100*k+i))...))
			ok(t, err)
			list = append(list, schema.Entry{Kind: schema.KindValue, Name: name})
		}
		ok(t, r.SealIteration(k, schema.Iteration{Link: modelLink(r.id, k), Records: list}, Cost{}))
	}
	ok(t, w.Close(t.Context()))
	for last := 0; last < 2*n; {
		p := newPruner(s, []schema.Digest{r.ID()})
		ok(t, p.setRetentions(t.Context(), PruneOptions{Retention: &Retention{}}))
		ok(t, p.step(t.Context()))
		if at := p.batch; at != nil && at.size > portion.Staged+3<<20 {
			t.Errorf("%d bytes were looked at", at.size)
		}
		gone := strings.Count(drawRecords(t, s, r.ID()), ".")
		if gone <= last || gone > last+8 {
			t.Fatalf("%d records are gone, %d were before", gone, last)
		}
		last = gone
		equal(t, "orphans", UnreferencedRecords(t, s), 0)
	}
}

// TestPruneBesideAWriter: records that a run begins to retain during a pruning are kept.
func TestPruneBesideAWriter(t *testing.T) {
	s := NewStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 1500, 1)
	late := SecondStore(s)
	ids := runIDs(t, s)
	p := newPruner(s, ids)
	ok(t, p.setRetentions(t.Context(), PruneOptions{Retention: &Retention{}}))
	ok(t, p.step(t.Context()))
	if p.isDone() {
		t.Fatal("it was one transaction")
	}
	victim := ids[len(ids)-1]
	ok(t, late.Update(t.Context(), func(tx *Tx) error {
		return tx.SetRetention(victim, Retention{Kinds: PrunableKinds})
	}))
	held, _, err := CloseAtEnd(t, StartWriter(t.Context(), late)).Acquire(t.Context(), Claim{Spec: TinySpec(1)})
	ok(t, err)
	ok(t, p.pruneAll(t.Context()))
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		for _, id := range ids {
			its, err := tx.ReadIterations(id)
			ok(t, err)
			stays := id == victim || id == held.ID()
			for _, e := range its[0].Records {
				equal(t, "there", tx.HasRecord(e.Name), stays)
			}
		}
		return nil
	}))
	reasons := 0
	for _, r := range p.result().Runs {
		if r.Reason != "" {
			reasons++
		}
	}
	equal(t, "left alone", reasons, 1)
	equal(t, "dropped", p.result().Records, 2*(len(ids)-2))
}

// TestPruneStopsAtDamage: a row that cannot be read may retain any record.
func TestPruneStopsAtDamage(t *testing.T) {
	s, _, id := newStoreWithCompleteRun(t, 2)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		other := schema.Name([]byte("other"))
		return tx.rows.Bucket(rows.BucketIterations).Put(rows.PartKey(other, 0), []byte("damaged row"))
	}))
	_, err := Prune(t.Context(), s, PruneOptions{Runs: []schema.Digest{id}, Retention: &Retention{}})
	wantErr(t, err, ErrDamaged)
	equal(t, "records there", drawRecords(t, s, id), "tfvom tfvom")
}

func TestRestoreBringsBack(t *testing.T) {
	s, _, id := newStoreWithCompleteRun(t, 2)
	PruneTo(t, s, &Retention{}, id)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		mended, err := tx.RestoreRecord([]byte("value 1"))
		equal(t, "mended", mended, true)
		return err
	}))
	equal(t, "records there", drawRecords(t, s, id), "....m ..v.m")
	equal(t, "orphans", UnreferencedRecords(t, s), 0)
	PruneTo(t, s, nil, id) // what was said still holds
	equal(t, "records there", drawRecords(t, s, id), "....m ....m")
}
