package storetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Encoded returns the record of a value.
func Encoded(t testing.TB, v interface{ Encode() ([]byte, error) }) []byte {
	t.Helper()
	record, err := v.Encode()
	OK(t, err)
	return record
}

// Chain seals iteration k with records of one kind, and returns its link.
func Chain(
	t testing.TB, r *groupcommit.RunWriter, k int, previous schema.Digest, kind schema.Kind, records ...[]byte,
) schema.Digest {
	t.Helper()
	list := []schema.Entry{}
	for _, record := range records {
		name, err := r.Put(record)
		OK(t, err)
		list = append(list, schema.Entry{Kind: kind, Name: name})
	}
	link, err := schema.Link(k, previous, list)
	OK(t, err)
	OK(t, r.SealIteration(k, schema.Iteration{Link: link, Records: list},
		tracker.Cost{Stages: map[string]int64{"learn": int64(k + 1)}}))
	return link
}

// Artefacts returns the records of iteration k, which all runs with a seed of the same parity share.
func Artefacts(t testing.TB, seed uint64, k int) [][]byte {
	t.Helper()
	return [][]byte{
		Encoded(t, schema.Value{float64(k), float64(seed)}),
		Encoded(t, schema.Value{float64(k), float64(seed % 2), 0.5}),
		Encoded(t, schema.Value{9}),
	}
}

// Extend continues a run of the store to n iterations.
func Extend(t testing.TB, s *tracker.Store, seed uint64, n int) schema.Digest {
	t.Helper()
	w := groupcommit.Start(context.Background(), s)
	r, st, err := w.Acquire(context.Background(), tracker.Claim{Spec: Spec(seed), Target: n})
	OK(t, err)
	link := st.Head
	if st.Done == 0 {
		link = st.Run.ID
	}
	for k := st.Done; k < n; k++ {
		link = Chain(t, r, k, link, schema.KindValue, Artefacts(t, seed, k)...)
	}
	OK(t, w.Close(context.Background()))
	OK(t, s.Update(context.Background(), func(tx *tracker.Tx) error {
		AddSession(t, tx, st.Run.ID,
			tracker.Session{Started: int64(seed), Ended: int64(n) + 1, Host: "host", PID: n, From: st.Done, To: n})
		return nil
	}))
	return st.Run.ID
}

// AddSession writes the next session of a run.
func AddSession(t testing.TB, tx *tracker.Tx, id schema.Digest, s tracker.Session) {
	t.Helper()
	all, err := tx.ReadSessionRows(id)
	OK(t, err)
	next := 0
	if len(all) > 0 {
		next = all[len(all)-1].Number + 1
	}
	OK(t, tx.PutSession(id, next, s))
}

// NewEmptyStore makes another store with the same clock.
func NewEmptyStore(t testing.TB, s *tracker.Store) *tracker.Store {
	t.Helper()
	other := tracker.New(filepath.Join(t.TempDir(), "other.db"), tracker.Options{Now: s.Options().Now})
	OK(t, other.Create(t.Context()))
	return other
}

// Content returns everything in a store except numbers, leases and places, in an order that does
// not depend on its history.
func Content(t testing.TB, s *tracker.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			OK(t, err)
			its, err := tx.ReadIterations(run.ID)
			OK(t, err)
			a, err := tx.ReadAnnotation(run.ID)
			OK(t, err)
			tags, err := tx.ReadTagRows(run.ID)
			OK(t, err)
			sessions, err := tx.ReadSessions(run.ID)
			OK(t, err)
			slices.SortFunc(sessions, func(a, b tracker.Session) int { return a.To - b.To })
			all["run "+run.ID.String()] = fmt.Sprint(its, a, tags, sessions, run.Ancestors)
			for k, it := range its {
				cost, err := tx.ReadCost(run.ID, k)
				OK(t, err)
				all[fmt.Sprint("cost ", run.ID, k)] = fmt.Sprint(cost)
				for _, e := range it.Records {
					record, err := tx.ReadRecord(e.Name)
					if errors.Is(err, tracker.ErrPruned) {
						record, err = []byte("pruned"), nil
					}
					OK(t, err)
					all["record "+e.Name.String()] = string(record)
				}
			}
		}
		for _, bucket := range []string{rows.BucketOrder, rows.BucketRuns, rows.BucketRecords, rows.BucketDigests,
			rows.BucketLeases, rows.BucketCheckpoints, rows.BucketNames} {
			all["rows of "+bucket] = fmt.Sprint(len(tx.Rows().Keys(bucket, nil)))
		}
		return nil
	}))
	Equal(t, "unused records", UnreferencedRecords(t, s), 0)
	return all
}

// SessionsOf formats a run's sessions: state, iterations, position, and duration in seconds.
func SessionsOf(t testing.TB, s *tracker.Store, id schema.Digest) string {
	t.Helper()
	var all []string
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		sessions, err := tx.ReadSessions(id)
		for _, s := range sessions {
			all = append(all, fmt.Sprintf("%s %d-%d %s %d/%d %.0fs", s.State, s.From, s.To, s.Stage, s.Part, s.Parts,
				s.Duration().Seconds()))
		}
		return err
	}))
	return strings.Join(all, ", ")
}

// PruneTo makes complete runs what they would be if they had kept less from the beginning: it sets their retention,
// drops the records that no run retains, and returns the number of these.
func PruneTo(t testing.TB, s *tracker.Store, keep tracker.Retention, ids ...schema.Digest) (dropped int) {
	t.Helper()
	OK(t, s.Update(context.Background(), func(tx *tracker.Tx) error {
		retained, listed := map[schema.Digest]bool{}, []schema.Digest{}
		for _, id := range ids {
			OK(t, tx.SetRetention(id, keep))
		}
		for row, err := range tx.NamingRows(nil, nil) {
			OK(t, err)
			run, err := tx.ReadRun(row.Run())
			OK(t, err)
			done, _, err := tx.ReadHead(run.ID)
			OK(t, err)
			a, err := tx.ReadAnnotation(run.ID)
			OK(t, err)
			kept, err := tx.ReadRetention(run.ID)
			OK(t, err)
			k := row.Iteration() // nil of a checkpoint
			whole := k == nil || kept == nil
			for _, e := range row.Records {
				retained[e.Name] = retained[e.Name] || whole ||
					tracker.NewRetentionRule(run, *kept, done, done < a.Target).Retains(*k, e.Kind)
				if k != nil && slices.Contains(ids, run.ID) {
					listed = append(listed, e.Name)
				}
			}
		}
		for _, name := range listed {
			if retained[name] || tx.Rows().IsPruned(name) {
				continue
			}
			if tx.Rows().HasRecord(name) {
				dropped++
			}
			_, err := tx.Rows().PutTombstone(name)
			OK(t, err)
		}
		return nil
	}))
	return dropped
}
