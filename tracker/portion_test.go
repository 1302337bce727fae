package tracker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/excerpt"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

// lower returns a function that lowers a size until the test ends.
func lower[T int | int64](size *T) func(*testing.T, int) {
	return func(t *testing.T, to int) {
		before := *size
		t.Cleanup(func() { *size = before })
		*size = T(to)
	}
}

// TestPortions: what works on a store in portions has the same result in portions of one, of a few, and of everything.
func TestPortions(t *testing.T) {
	want := workOnStores(t)
	lowers := map[string]func(*testing.T, int){
		"Staged": lower(&portion.Staged), "Sealed": lower(&portion.Sealed), "Read": lower(&portion.Read),
		"Cached": lower(&portion.Cached), "Piece": lower(&portion.Piece), "SealedRows": lower(&portion.SealedRows),
		"RunsPerWorker": lower(&portion.RunsPerWorker),
		"Examined":      lower(&portion.Examined), "Usage": lower(&portion.Usage),
		"Group":    lower(&portion.Group),
		"LookedUp": lower(&portion.LookedUp), "Compared": lower(&portion.Compared),
		"Remembered": lower(&portion.Remembered),
		"Tx":         lower(&portion.Tx),
	}
	each := maps.Clone(lowers)
	lowers["all"] = func(t *testing.T, to int) {
		for _, l := range each {
			l(t, to)
		}
	}
	for name, lowerTo := range lowers {
		for _, to := range []int{1, 3}[:schematest.Size(1, 2)] {
			t.Run(fmt.Sprintf("%s=%d", name, to), func(t *testing.T) {
				lowerTo(t, to)
				if diff := cmp.Diff(want, workOnStores(t)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// workOnStores makes stores, works on them in every way, and returns the reports and what the stores then have.
func workOnStores(t *testing.T) map[string]string {
	results := map[string]string{}
	note := func(step string, report any, err error, s *tracker.Store) {
		t.Helper()
		OK(t, err)
		text, err := json.Marshal(report)
		OK(t, err)
		results[step] = string(text)
		for key, value := range Content(t, s) {
			results[step+": "+key] = value
		}
	}
	s, id := newStoreOfEverything(t)
	ids := []schema.Digest{id}
	for seed := range uint64(4) {
		ids = append(ids, Extend(t, s, 4+seed, 2+int(seed)))
	}
	w := groupcommit.Start(t.Context(), s)
	r, st, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(9), Target: 4, Retention: &tracker.Retention{}})
	OK(t, err)
	link := st.Run.ID
	for k := range 4 {
		link = Chain(t, r, k, link, schema.KindValue, Artefacts(t, 9, k)...)
	}
	r.Release(nil)
	note("written", nil, w.Close(t.Context()), s)

	var used map[schema.Digest]*tracker.Usage
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) (err error) {
		used, _, err = tx.MeasureUsage(nil)
		return err
	}))
	note("usage", used, nil, s)
	var newest []schema.Digest
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			OK(t, err)
			newest = append(newest, run.ID)
		}
		return nil
	}))
	note("newest", newest, nil, s)

	var stream bytes.Buffer
	OK(t, excerpt.Write(t.Context(), &stream, s, ids[2], nil, func(k, i int, _ schema.Entry) bool { return k+i < 3 }))
	of := NewEmptyStore(t, s)
	read, err := excerpt.Read(t.Context(), &stream, of, excerpt.Options{})
	OK(t, err)
	note("excerpt", read, nil, NewEmptyStore(t, s))
	results["check of the excerpt"] = fmt.Sprint(FormatDamages(Check(t, of, SelectAll)))

	to := NewEmptyStore(t, s)
	for seed := range uint64(4) {
		Extend(t, to, 4+seed, 1+int(seed))
	}
	spoil(t, to, ids[1:4])
	found := Check(t, to, SelectAll)
	results["damages"] = fmt.Sprint(FormatDamages(found), found.Records, found.Bytes, found.Read)
	merged, err := merge.Run(t.Context(), s, to, merge.Options{Heal: true})
	note("merged", merged, err, to)

	note("pruned", PruneTo(t, to, tracker.Retention{}, newest[1:]...), nil, to)
	merged, err = merge.Run(t.Context(), s, to, merge.Options{})
	note("restored", merged, err, to)
	removed, err := gc.Remove(t.Context(), to, ids[2:])
	note("removed", removed, err, to)

	compacted, err := backup.Compact(t.Context(), s, nil)
	compacted.Before, compacted.After = 0, 0
	note("compacted", compacted, err, s)
	copied, err := backup.Run(t.Context(), s, filepath.Join(t.TempDir(), "backup"), backup.Options{})
	OK(t, err)
	path := copied.Backup
	copied.Backup, copied.Bytes = "", 0
	note("backed up", copied, err, tracker.New(path, s.Options()))

	spoil(t, s, ids[2:4])
	repair, err := repair.Begin(t.Context(), s)
	OK(t, err)
	defer repair.Close()
	found = Check(t, repair.NewStore, SelectAll)
	note("repaired", repair.Report, nil, NewEmptyStore(t, s))
	results["check of the repaired"] = fmt.Sprint(FormatDamages(found), found.Runs, found.Records)
	return results
}

// spoil damages the first record of each run, and loses the second.
func spoil(t *testing.T, s *tracker.Store, ids []schema.Digest) {
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for _, id := range ids {
			it, err := tx.ReadIteration(id, 0)
			OK(t, err)
			OK(t, tx.Rows().PutStored(tx.Rows().PlaceOf(it.Records[0].Name), Unpacked([]byte("other bytes"))))
			OK(t, tx.Rows().Remove(rows.BucketRecords, tx.Rows().PlaceOf(it.Records[1].Name)))
		}
		return nil
	}))
}
