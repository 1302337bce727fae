package tracker

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// encoded returns the record of a value.
func encoded(t testing.TB, v interface{ Encode() ([]byte, error) }) []byte {
	t.Helper()
	record, err := v.Encode()
	ok(t, err)
	return record
}

// chain seals iteration k with records of one kind, and returns its link.
func chain(
	t testing.TB, r *RunWriter, k int, previous schema.Digest, kind schema.Kind, records ...[]byte,
) schema.Digest {
	t.Helper()
	list := []schema.Entry{}
	for _, record := range records {
		name, err := r.Put(record)
		ok(t, err)
		list = append(list, schema.Entry{Kind: kind, Name: name})
	}
	link, err := schema.Link(k, previous, list)
	ok(t, err)
	ok(t, r.SealIteration(k, schema.Iteration{Link: link, Records: list},
		Cost{Stages: map[string]int64{"learn": int64(k + 1)}}))
	return link
}

// artefacts returns the records of iteration k, which all runs with a seed of the same parity
// share.
func artefacts(t testing.TB, seed uint64, k int) [][]byte {
	t.Helper()
	return [][]byte{
		encoded(t, schema.Value{float64(k), float64(seed)}),
		encoded(t, schema.Value{float64(k), float64(seed % 2), 0.5}),
		encoded(t, schema.Value{9}),
	}
}

// extend continues a run of the store to n iterations.
func extend(t testing.TB, s *Store, seed uint64, n int) schema.Digest {
	t.Helper()
	w := s.StartWriter(context.Background())
	r, st, err := w.Acquire(context.Background(), Claim{Spec: spec(seed), Target: n})
	ok(t, err)
	link := st.Head
	if st.Done == 0 {
		link = st.Run.ID
	}
	for k := st.Done; k < n; k++ {
		link = chain(t, r, k, link, schema.KindValue, artefacts(t, seed, k)...)
	}
	ok(t, w.Close(context.Background()))
	ok(t, s.Update(context.Background(), func(tx *Tx) error {
		_, last, err := tx.readLastSession(st.Run.ID)
		ok(t, err)
		return tx.PutSession(st.Run.ID, last+1,
			Session{Started: int64(seed), Ended: int64(n) + 1, Host: "host", PID: n, From: st.Done, To: n})
	}))
	return st.Run.ID
}

// content returns everything in a store except numbers, leases and places, in an order that does
// not depend on its history.
func content(t testing.TB, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	ok(t, s.View(context.Background(), func(tx *Tx) error {
		for run, err := range tx.Runs() {
			ok(t, err)
			its, err := tx.ReadIterations(run.ID)
			ok(t, err)
			a, err := tx.ReadAnnotation(run.ID)
			ok(t, err)
			tags := map[string]rows.Tag{}
			for key, row := range tx.rows.WithPrefix(rows.BucketTags, run.ID[:]) {
				tags[string(key[len(run.ID):])], err = decodeTag(key, row)
				ok(t, err)
			}
			sessions, err := tx.ReadSessions(run.ID)
			ok(t, err)
			slices.SortFunc(sessions, func(a, b Session) int { return a.To - b.To })
			all["run "+run.ID.String()] = fmt.Sprint(its, a, tags, sessions, run.Ancestors)
			for k, it := range its {
				cost, err := tx.ReadCost(run.ID, k)
				ok(t, err)
				all[fmt.Sprint("cost ", run.ID, k)] = fmt.Sprint(cost)
				for _, e := range it.Records {
					record, err := tx.ReadRecord(e.Name)
					ok(t, err)
					all["record "+e.Name.String()] = string(record)
				}
			}
		}
		for _, bucket := range []string{rows.BucketOrder, rows.BucketRuns, rows.BucketRecords, rows.BucketDigests,
			rows.BucketLeases,
			rows.BucketCheckpoints, rows.BucketNames} {
			all["rows of "+bucket] = fmt.Sprint(len(tx.rows.Keys(bucket, nil)))
		}
		return nil
	}))
	equal(t, "unused records", unreferencedRecords(t, s), 0)
	return all
}
