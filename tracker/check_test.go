package tracker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/pages"
)

// selectAll selects all records.
var selectAll = CheckOptions{Read: func(schema.Digest) bool { return true }}

// checkStore checks a store that can be opened.
func checkStore(t testing.TB, s *Store, o CheckOptions) CheckReport {
	t.Helper()
	found, err := Check(t.Context(), s, o)
	ok(t, err)
	return found
}

// formatDamages formats damages as one line each.
func formatDamages(found CheckReport) (lines []string) {
	for _, d := range found.Damaged {
		line := d.Kind + ": " + d.Why
		if d.K != nil {
			line = fmt.Sprintf("%d %s", *d.K, line)
		}
		if d.Digest != nil {
			line = "record " + line
		}
		if d.Run != nil {
			line = "run " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// TestCheckFinds damages one thing at a time. The check must report each of the given lines and
// nothing else.
func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, v victim)
		lines []string
	}{
		"nothing": {func(*testing.T, victim) {}, nil},
		"a record's bytes": {func(t *testing.T, v victim) {
			stored := bytes.Clone(v.stored(t, 1))
			stored[len(stored)-1] ^= 1
			ok(t, v.tx.putStored(v.place(1), stored))
		}, []string{"run record 1 value: "}},
		"a record's codec": {func(t *testing.T, v victim) {
			ok(t, v.tx.putStored(v.place(1), []byte{9, 4, 0, 0, 0, 0}))
		},
			[]string{"run record 1 value: stored form is malformed"}},
		"a record's length": {func(t *testing.T, v victim) {
			ok(t, v.tx.putStored(v.place(1), binary.AppendUvarint([]byte{codec.Zstd}, 1<<40)))
		}, []string{"run record 1 value: stored form is malformed"}},
		"a record's place": {func(t *testing.T, v victim) { ok(t, v.tx.removeRow(bucketRecords, v.place(1))) },
			[]string{"run record 1 value: its place is empty"}},
		"the index": {func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketDigests, v.its[1].Records[0].Name[:]))
		},
			[]string{"run record 1 value: it is not in the index"}},
		"an index row": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketDigests].Put(v.its[1].Records[0].Name[:], []byte("here")))
		}, []string{"run record 1 value: its index entry"}},
		"one place of two": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketDigests].Put(v.its[1].Records[0].Name[:], v.place(0)))
		}, []string{"run record 1 value: it shares its place with record "}},
		"a record of another kind": {func(t *testing.T, v victim) {
			v.its[2].Records[0].Kind = schema.KindFactors
			v.relink(t, 2)
		}, []string{"run record 2 factors: bytes are malformed"}},
		"an iteration gone": {func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketIterations, partKey(v.id, 1)))
		},
			[]string{"run 1 iterations: it is gone"}},
		"an iteration's row": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketIterations].Put(partKey(v.id, 1), make([]byte, 100)))
		}, []string{"run 1 iterations: its row is not what was written"}},
		"a link": {func(t *testing.T, v victim) {
			v.its[1].Link[0] ^= 1
			ok(t, v.tx.putIteration(v.id, 1, v.its[1]))
		}, []string{"run 1 iterations: link ", "run 2 iterations: link "}},
		"a run's row": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketRuns].Put(v.id[:], []byte("a run's row")))
		}, []string{"run runs: its row is not what was written"}},
		"a run's spec": {func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketRuns, v.id[:], runRow{Number: 1, Spec: spec(77)}))
		}, []string{"run runs: "}},
		"an annotation": {func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketAnnotations, v.id[:]))
		}, []string{"run annotations: "}},
		"a name's row": {func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketNames, []byte("mine")))
		}, []string{"run annotations: the name "}},
		"a name too many": {func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketNames, []byte("old"), runRef{v.id}))
		}, []string{"names: old refers to run "}},
		"a name of nobody": {func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketNames, []byte("gone"), runRef{schema.Name([]byte("nobody"))}))
		}, []string{"names: gone refers to run "}},
		"a number": {func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketOrder, numberKey(1)))
		}, []string{"run runs: number 1 "}},
		"a number too many": {func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketOrder, numberKey(9), runRef{v.id}))
		}, []string{"order: ", "order: "}},
		"a cost": {func(t *testing.T, v victim) {
			ok(t, v.tx.removeRow(bucketCosts, partKey(v.id, 1)))
		}, []string{"run costs: the cost of iteration 1 "}},
		"a session": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketSessions].Put(partKey(v.id, 1), []byte("s")))
		}, []string{"run sessions: its row is not what was written"}},
		"a tag": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketTags].Put(tagKey(v.id, "a"), []byte("t")))
		}, []string{"run tags: its row is not what was written"}},
		"a lease": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketLeases].Put(v.id[:], []byte("lease")))
		}, []string{"run leases: its row is not what was written"}},
		"a checkpoint": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketCheckpoints].Put(v.id[:], []byte("point")))
		}, []string{"run checkpoints: its row is not what was written"}},
		"a checkpoint's record": {func(t *testing.T, v victim) {
			ok(t, writeRow(v.tx, bucketCheckpoints, v.id[:],
				Checkpoint{State: []byte{}, Records: entries(schema.Name([]byte("never put")))}))
		}, []string{"run record value: it is not in the index"}},
		"a row of no run": {func(t *testing.T, v victim) {
			id := schema.Name([]byte("nobody"))
			ok(t, writeRow(v.tx, bucketTags, tagKey(id, "a"), tagRow{}))
		}, []string{"tags: row "}},
		"the format's neighbour": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketPodtrack].Put([]byte("more"), []byte("x")))
		}, []string{"podtrack: row more "}},
		"a pruned record": {func(t *testing.T, v victim) {
			ok(t, v.tx.buckets[bucketDigests].Put(v.its[1].Records[0].Name[:], tombstone))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newCheckableStore(t)
			ok(t, s.Update(t.Context(), func(tx *Tx) error {
				its, err := tx.ReadIterations(id)
				c.spoil(t, victim{tx: tx, id: id, its: its})
				return err
			}))
			found := checkStore(t, s, selectAll)
			got := formatDamages(found)
			if len(got) != len(c.lines) {
				t.Fatalf("found %q", got)
			}
			for _, line := range c.lines {
				if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, line) }) {
					t.Errorf("found %q and not %q", got, line)
				}
			}
			if found.Intact() != (len(c.lines) == 0) {
				t.Error("whole is wrong")
			}
		})
	}
}

func (v victim) place(k int) []byte {
	return bytes.Clone(v.tx.buckets[bucketDigests].Get(v.its[k].Records[0].Name[:]))
}

func (v victim) stored(t *testing.T, k int) []byte {
	b, err := v.tx.readStored(v.its[k].Records[0].Name)
	ok(t, err)
	return b
}

// newCheckableStore makes a store with a run of three iterations that has a name and a tag.
func newCheckableStore(t testing.TB) (*Store, schema.Digest) {
	t.Helper()
	s, _ := newTestStore(t)
	id := extend(t, s, 1, 3)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		ok(t, tx.SetName(id, "mine"))
		return tx.AddTag(id, "study")
	}))
	return s, id
}

// TestCheckOfOneRun checks only that run.
func TestCheckOfOneRun(t *testing.T) {
	s, id := newCheckableStore(t)
	extend(t, s, 2, 2)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		other := runID(t, 2)
		return tx.removeRow(bucketIterations, partKey(other, 0))
	}))
	found := checkStore(t, s, CheckOptions{Runs: []schema.Digest{id}})
	equal(t, "runs", found.Runs, 1)
	equal(t, "iterations", found.Iterations, 3)
	equal(t, "damage", len(found.Damaged), 0)
	equal(t, "damage of all", len(checkStore(t, s, CheckOptions{}).Damaged), 1)
}

// TestSamplesMakeAWhole: five fifths are disjoint and complete.
func TestSamplesMakeAWhole(t *testing.T) {
	s, _ := newCheckableStore(t)
	read := 0
	for part := range byte(5) {
		found := checkStore(t, s, CheckOptions{Read: func(d schema.Digest) bool { return d[0]%5 == part }})
		read += found.Read
	}
	equal(t, "read", read, checkStore(t, s, selectAll).Records)
}

// TestCheckFindsALostCommit damages the newer meta page, so that the file is in the state before
// the last commit.
func TestCheckFindsALostCommit(t *testing.T) {
	s, _ := newCheckableStore(t)
	b := readFile(t, s.path)
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	ok(t, err)
	for page := range int64(2) {
		bad := bytes.Clone(b)
		bad[page*f.PageSize+40] ^= 0x10
		ok(t, os.WriteFile(s.path, bad, 0o600))
		found := formatDamages(checkStore(t, s, selectAll))
		lost := page == int64(f.Txid%2)
		if lost != (len(found) == 1 &&
			strings.Contains(found[0], "the last commit is lost")) || !lost && len(found) > 0 {
			t.Errorf("meta page %d: found %q", page, found)
		}
	}
}

// TestCheckFindsASequenceThatRanBack: the next record would overwrite another. Appending then
// fails.
func TestCheckFindsASequenceThatRanBack(t *testing.T) {
	s, _ := newCheckableStore(t)
	for _, name := range []string{bucketRecords, bucketOrder} {
		ok(t, s.Update(t.Context(), func(tx *Tx) error {
			if b, isRecords := tx.buckets[name].(checkedBucket); isRecords {
				return b.SetSequence(0)
			}
			return tx.buckets[name].(writeBucket).SetSequence(0)
		}))
	}
	found := formatDamages(checkStore(t, s, CheckOptions{}))
	if len(found) != 2 || !strings.Contains(found[0], "the next number would be 1") {
		t.Errorf("found %q", found)
	}
	wantErr(t, s.Update(t.Context(), func(tx *Tx) error {
		return tx.appendRecord(schema.Name([]byte("new")), []byte("new"))
	}), ErrDamaged)
	w := closeAtEnd(t, s.StartWriter(t.Context()))
	_, _, err := w.Acquire(t.Context(), Claim{Spec: spec(5), Target: 1})
	wantErr(t, err, ErrDamaged)
}

// TestARowUnderADamagedKey: a row that is missing at its place is looked for beside it.
func TestARowUnderADamagedKey(t *testing.T) {
	s, id := newCheckableStore(t)
	for bucket, key := range map[string][]byte{
		bucketIterations: partKey(id, 2), bucketAnnotations: id[:], bucketTags: tagKey(id,
			"study"), bucketNames: []byte("mine"),
	} {
		wantErr(t, s.Update(t.Context(), func(tx *Tx) error {
			row := bytes.Clone(tx.buckets[bucket].Get(key))
			ok(t, tx.removeRow(bucket, key))
			wrong := bytes.Clone(key)
			wrong[2]++ // such that keys stay in order
			ok(t, tx.buckets[bucket].Put(wrong, row))
			_, err := tx.ReadTags(id)
			if bucket != bucketTags {
				_, _, err = tx.ReadHead(id)
			}
			if bucket == bucketAnnotations {
				_, err = tx.ReadAnnotation(id)
			}
			if bucket == bucketNames {
				_, err = tx.Resolve("mine")
			}
			wantErr(t, err, ErrDamaged)
			return os.ErrInvalid
		}), os.ErrInvalid)
	}
}

// TestCheckWhileOthersWrite: concurrent changes are not reported as damage.
func TestCheckWhileOthersWrite(t *testing.T) {
	s, _ := newTestStore(t)
	for seed := range uint64(20) {
		extend(t, s, seed, 2)
	}
	var stop atomic.Bool
	checks := make(chan string)
	go func() {
		for n := 0; n == 0 || !stop.Load(); n++ {
			found, err := Check(t.Context(), secondStore(s), selectAll)
			if err != nil || !found.Intact() {
				checks <- fmt.Sprintf("check %d: %v, %q", n, err, formatDamages(found))
			}
		}
		close(checks)
	}()
	for seed := range uint64(30) {
		extend(t, s, seed, 3)
		if seed%3 == 0 {
			ok(t, s.Update(t.Context(), func(tx *Tx) error { _, err := tx.Remove(runID(t, seed)); return err }))
		}
	}
	stop.Store(true)
	for wrong := range checks {
		t.Error(wrong)
	}
}
