package backup

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestLiveCopyFollows: whatever happens to a store between two passes, the next one updates the
// copy.
func TestLiveCopyFollows(t *testing.T) {
	t.Parallel()
	for seed := range schematest.Size[uint64](3, 8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			s := newStoreOfTinyRuns(t, 120)
			to := tracker.New(s.Path()+".copy", tracker.Options{})
			db, err := newfile.OpenUnsynced(to.Path(), os.O_EXCL)
			OK(t, err)
			m := newLiveCopy(s, db, false, nil)
			for range 4 {
				runPassInSteps(t, m, func() {
					if r.IntN(3) == 0 {
						changeAtRandom(t, s, r)
					}
				})
			}
			OK(t, s.View(t.Context(), func(tx *tracker.Tx) error { return m.finish(t.Context(), tx) }))
			OK(t, m.close())
			if diff := cmp.Diff(Content(t, s), Content(t, to)); diff != "" {
				t.Error(diff)
			}
			Equal(t, "orphans", UnreferencedRecords(t, to), 0)
			Equal(t, "records", fmt.Sprint(m.records), Content(t, to)["rows of records"])
		})
	}
}

// newStoreOfTinyRuns makes a store of runs of one iteration of four small records.
func newStoreOfTinyRuns(t testing.TB, runs uint64) *tracker.Store {
	t.Helper()
	s := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	OK(t, s.Create(t.Context()))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for seed := range runs {
			r, err := tx.CreateRun(tracker.Claim{Spec: Spec(seed), Target: 1})
			OK(t, err)
			var names []schema.Digest
			for i := range uint64(4) {
				record := RandomBytes(200, 4*seed+i)
				names = append(names, schema.Name(record))
				OK(t, tx.Rows().AppendRecord(names[i], Unpacked(record)))
			}
			OK(t, tx.Rows().PutIteration(r.ID, 0, schema.Iteration{Link: names[0], Records: Entries(names...)}))
			OK(t, rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(r.ID, 0), tracker.Cost{Stages: map[string]int64{}}))
		}
		return nil
	}))
	return s
}

// runPassInSteps runs a pass in transactions of one leaf or record each, and calls a function
// between them.
func runPassInSteps(t testing.TB, m *liveCopy, between func()) {
	t.Helper()
	var r *copyPass
	for more := true; more; between() {
		b := newRowBatch()
		OK(t, m.source.View(t.Context(), func(tx *tracker.Tx) (err error) {
			if r == nil {
				r, err = m.beginPass(tx)
				OK(t, errors.Join(err, m.checkSameFile(tx)))
			}
			more, err = r.readSome(tx, b, func() bool { return true })
			return err
		}))
		OK(t, m.writeBatch(b))
	}
	m.notePass(r)
}

// changeAtRandom changes a store of tiny runs at random.
func changeAtRandom(t testing.TB, s *tracker.Store, r *rand.Rand) {
	id, removed := RunID(t, r.Uint64N(120)), false
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		if !tx.Rows().HasRun(id) {
			_, err := tx.CreateRun(tracker.Claim{Spec: Spec(r.Uint64N(120)), Target: 1})
			return err
		}
		if removed = r.IntN(5) == 0; removed {
			return nil
		}
		return changeRun(tx, id, r)
	}))
	if removed {
		_, err := gc.Remove(t.Context(), s, []schema.Digest{id})
		OK(t, err)
	}
}

// changeRun changes a run at random.
func changeRun(tx *tracker.Tx, id schema.Digest, r *rand.Rand) error {
	switch r.IntN(4) {
	case 0: // takes from the run what it owns
		its, err := tx.ReadIterations(id)
		for _, it := range its {
			for _, e := range it.Records {
				tx.Rows().Disown(e.Name)
			}
		}
		return err
	case 1:
		return tx.AddTag(id, fmt.Sprint("t", r.IntN(9)))
	case 2:
		return tx.PutAnnotation(id, tracker.Annotation{Target: 1, Note: string(make([]byte, r.IntN(3000)))})
	}
	its, err := tx.ReadIterations(id)
	if err != nil {
		return err
	}
	record := RandomBytes(100+r.IntN(20000), r.Uint64())
	name := schema.Name(record)
	list := Entries(name)
	for _, it := range its {
		list = append(list, it.Records[:1]...) // one that another row names, too
	}
	return errors.Join(tx.Rows().AppendOwned(name, Unpacked(record), r.Uint64N(3)),
		rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(id, len(its)), tracker.Cost{Stages: map[string]int64{}}),
		tx.Rows().PutIterationRow(id, len(its), schema.Iteration{Link: name, Records: list}))
}

// TestLiveCopyTakesWhatIsBroughtBack: a pruned record that is restored during a backup gets a
// new index entry, while the row that names it does not change and may have been read already.
func TestLiveCopyTakesWhatIsBroughtBack(t *testing.T) {
	t.Parallel()
	for at := range 4 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			s, _ := NewStore(t)
			id, record := Extend(t, s, 1, 2), Artefacts(t, 1, 1)[0]
			Extend(t, s, 2, 2)
			PruneTo(t, s, tracker.Retention{}, id)
			to := tracker.New(s.Path()+".copy", tracker.Options{})
			db, err := newfile.OpenUnsynced(to.Path(), os.O_EXCL)
			OK(t, err)
			m, turns := newLiveCopy(s, db, false, nil), 0
			for range 2 {
				runPassInSteps(t, m, func() {
					if turns == at {
						OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
							_, err := tx.RestoreStored(schema.Name(record), Unpacked(record))
							return err
						}))
					}
					turns++
				})
			}
			Equal(t, "turns went on after it", turns > at, true)
			OK(t, s.View(t.Context(), func(tx *tracker.Tx) error { return m.finish(t.Context(), tx) }))
			OK(t, m.close())
			if diff := cmp.Diff(Content(t, s), Content(t, to)); diff != "" {
				t.Error(diff)
			}
			Equal(t, "what was brought back", Content(t, to)["record "+schema.Name(record).String()], string(record))
		})
	}
}
