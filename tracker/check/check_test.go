package check_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A victim is a store that is damaged, and a run of it.
type victim struct {
	tx  *tracker.Tx
	id  schema.Digest
	its []schema.Iteration
}

// runRow is a row of bucket runs, to be forged.
type runRow struct {
	Number    uint64             `cbor:"number"`
	Spec      schema.Spec        `cbor:"spec"`
	Start     *schema.Digest     `cbor:"start"`
	Ancestors []tracker.Ancestor `cbor:"ancestors"`
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
			stored := bytes.Clone(storedOf(t, v, 1))
			stored[len(stored)-1] ^= 1
			OK(t, v.tx.Rows().PutStored(placeOf(v, 1), stored))
		}, []string{"run record 1 value: "}},
		"a record's codec": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutStored(placeOf(v, 1), []byte{9, 4, 0, 0, 0, 0}))
		},
			[]string{"run record 1 value: stored form is malformed"}},
		"a record's length": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutStored(placeOf(v, 1), binary.AppendUvarint([]byte{codec.Zstd}, 1<<40)))
		}, []string{"run record 1 value: stored form is malformed"}},
		"a record's place": {func(t *testing.T, v victim) {
			OK(t,
				v.tx.Rows().Remove(rows.BucketRecords, placeOf(v, 1)))
		},
			[]string{"run record 1 value: its place is empty"}},
		"the index": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketDigests, v.its[1].Records[0].Name[:]))
		},
			[]string{"run record 1 value: it is not in the index"}},
		"an index row": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketDigests).Put(v.its[1].Records[0].Name[:], []byte("here")))
		}, []string{"run record 1 value: its index entry"}},
		"one place of two": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketDigests).Put(v.its[1].Records[0].Name[:], placeOf(v, 0)))
		}, []string{"run record 1 value: it shares its place with record "}},
		"a record of another kind": {func(t *testing.T, v victim) {
			v.its[2].Records[0].Kind = schema.KindFactors
			link, err := schema.Link(2, v.its[1].Link, v.its[2].Records)
			OK(t, err)
			v.its[2].Link = link
			OK(t, v.tx.Rows().PutIteration(v.id, 2, v.its[2]))
		}, []string{"run record 2 factors: bytes are malformed"}},
		"an iteration gone": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketIterations, rows.PartKey(v.id, 1)))
		},
			[]string{"run 1 iterations: it is missing"}},
		"an iteration's row": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketIterations).Put(rows.PartKey(v.id, 1), make([]byte, 100)))
		}, []string{"run 1 iterations: its row is damaged"}},
		"a link": {func(t *testing.T, v victim) {
			v.its[1].Link[0] ^= 1
			OK(t, v.tx.Rows().PutIteration(v.id, 1, v.its[1]))
		}, []string{"run 1 iterations: link ", "run 2 iterations: link "}},
		"a run's row": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketRuns).Put(v.id[:], []byte("a run's row")))
		}, []string{"run runs: its row is damaged"}},
		"a run's spec": {func(t *testing.T, v victim) {
			OK(t, rows.Write(v.tx.Rows(), rows.BucketRuns, v.id[:], runRow{Number: 1, Spec: Spec(77)}))
		}, []string{"run runs: run "}},
		"an annotation": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketAnnotations, v.id[:]))
		}, []string{"run annotations: "}},
		"a name's row": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketNames, []byte("mine")))
		}, []string{"run annotations: the name "}},
		"a name too many": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutRef(rows.BucketNames, []byte("old"), v.id))
		}, []string{"names: old refers to run "}},
		"a name of nobody": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutRef(rows.BucketNames, []byte("gone"), schema.Name([]byte("nobody"))))
		}, []string{"names: gone refers to run "}},
		"a number": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketOrder, rows.NumberKey(1)))
		}, []string{"run runs: number 1 "}},
		"a number too many": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().PutRef(rows.BucketOrder, rows.NumberKey(9), v.id))
		}, []string{"order: ", "order: "}},
		"a cost": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Remove(rows.BucketCosts, rows.PartKey(v.id, 1)))
		}, []string{"run costs: the cost of iteration 1 "}},
		"a session": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketSessions).Put(rows.PartKey(v.id, 1), []byte("s")))
		}, []string{"run sessions: its row is damaged"}},
		"a tag": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketTags).Put(rows.TagKey(v.id, "a"), []byte("t")))
		}, []string{"run tags: its row is damaged"}},
		"a lease": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketLeases).Put(v.id[:], []byte("lease")))
		}, []string{"run leases: its row is damaged"}},
		"a checkpoint": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketCheckpoints).Put(v.id[:], []byte("point")))
		}, []string{"run checkpoints: its row is damaged"}},
		"a checkpoint's record": {func(t *testing.T, v victim) {
			OK(t, rows.Write(v.tx.Rows(), rows.BucketCheckpoints, v.id[:],
				tracker.Checkpoint{State: []byte{}, Records: Entries(schema.Name([]byte("never put")))}))
		}, []string{"run record value: it is not in the index"}},
		"a row of no run": {func(t *testing.T, v victim) {
			id := schema.Name([]byte("nobody"))
			OK(t, rows.Write(v.tx.Rows(), rows.BucketTags, rows.TagKey(id, "a"), rows.Tag{}))
		}, []string{"tags: row "}},
		"the format's neighbour": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketPodtrack).Put([]byte("more"), []byte("x")))
		}, []string{"podtrack: row more "}},
		"a pruned record": {func(t *testing.T, v victim) {
			OK(t, v.tx.Rows().Bucket(rows.BucketDigests).Put(v.its[1].Records[0].Name[:], rows.Tombstone))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newCheckableStore(t)
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
				its, err := tx.ReadIterations(id)
				c.spoil(t, victim{tx: tx, id: id, its: its})
				return err
			}))
			found := Check(t, s, SelectAll)
			got := FormatDamages(found)
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

func placeOf(v victim, k int) []byte {
	return bytes.Clone(v.tx.Rows().Bucket(rows.BucketDigests).Get(v.its[k].Records[0].Name[:]))
}

func storedOf(t *testing.T, v victim, k int) []byte {
	b, err := v.tx.Rows().ReadStored(v.its[k].Records[0].Name)
	OK(t, err)
	return b
}

// newCheckableStore makes a store with a run of three iterations that has a name and a tag.
func newCheckableStore(t testing.TB) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 3)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.SetName(id, "mine"))
		return tx.AddTag(id, "study")
	}))
	return s, id
}

// TestCheckOfOneRun checks only that run.
func TestCheckOfOneRun(t *testing.T) {
	s, id := newCheckableStore(t)
	Extend(t, s, 2, 2)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		other := RunID(t, 2)
		return tx.Rows().Remove(rows.BucketIterations, rows.PartKey(other, 0))
	}))
	found := Check(t, s, check.Options{Runs: []schema.Digest{id}})
	Equal(t, "runs", found.Runs, 1)
	Equal(t, "iterations", found.Iterations, 3)
	Equal(t, "damage", len(found.Damaged), 0)
	Equal(t, "damage of all", len(Check(t, s, check.Options{}).Damaged), 1)
}

// TestSamplesMakeAWhole: five fifths are disjoint and complete.
func TestSamplesMakeAWhole(t *testing.T) {
	s, _ := newCheckableStore(t)
	read := 0
	for part := range byte(5) {
		found := Check(t, s, check.Options{Read: func(d schema.Digest) bool { return d[0]%5 == part }})
		read += found.Read
	}
	Equal(t, "read", read, Check(t, s, SelectAll).Records)
}

// TestCheckFindsALostCommit damages the newer meta page, so that the file is in the state before
// the last commit.
func TestCheckFindsALostCommit(t *testing.T) {
	s, _ := newCheckableStore(t)
	b := ReadFile(t, s.Path())
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	OK(t, err)
	for page := range int64(2) {
		bad := bytes.Clone(b)
		bad[page*f.PageSize+40] ^= 0x10
		OK(t, os.WriteFile(s.Path(), bad, 0o600))
		found := FormatDamages(Check(t, s, SelectAll))
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
	for _, name := range []string{rows.BucketRecords, rows.BucketOrder} {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			return tx.Rows().Bolt.Bucket([]byte(name)).SetSequence(0)
		}))
	}
	found := FormatDamages(Check(t, s, check.Options{}))
	if len(found) != 2 || !strings.Contains(found[0], "the next number would be 1") {
		t.Errorf("found %q", found)
	}
	WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.Rows().AppendRecord(schema.Name([]byte("new")), []byte("new"))
	}), tracker.ErrDamaged)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	_, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(5), Target: 1})
	WantErr(t, err, tracker.ErrDamaged)
}

// TestARowUnderADamagedKey: a row that is missing at its place is looked for beside it.
func TestARowUnderADamagedKey(t *testing.T) {
	s, id := newCheckableStore(t)
	for bucket, key := range map[string][]byte{
		rows.BucketIterations: rows.PartKey(id, 2), rows.BucketAnnotations: id[:], rows.BucketTags: rows.TagKey(id,
			"study"), rows.BucketNames: []byte("mine"),
	} {
		WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			row := bytes.Clone(tx.Rows().Bucket(bucket).Get(key))
			OK(t, tx.Rows().Remove(bucket, key))
			wrong := bytes.Clone(key)
			wrong[2]++ // such that keys stay in order
			OK(t, tx.Rows().Bucket(bucket).Put(wrong, row))
			_, err := tx.ReadTags(id)
			if bucket != rows.BucketTags {
				_, _, err = tx.ReadHead(id)
			}
			if bucket == rows.BucketAnnotations {
				_, err = tx.ReadAnnotation(id)
			}
			if bucket == rows.BucketNames {
				_, err = tx.Resolve("mine")
			}
			WantErr(t, err, tracker.ErrDamaged)
			return os.ErrInvalid
		}), os.ErrInvalid)
	}
}

// TestCheckWhileOthersWrite: concurrent changes are not reported as damage.
func TestCheckWhileOthersWrite(t *testing.T) {
	s, _ := NewStore(t)
	for seed := range uint64(20) {
		Extend(t, s, seed, 2)
	}
	var stop atomic.Bool
	checks := make(chan string)
	go func() {
		for n := 0; n == 0 || !stop.Load(); n++ {
			found, err := check.Run(t.Context(), SecondStore(s), SelectAll)
			if err != nil || !found.Intact() {
				checks <- fmt.Sprintf("check %d: %v, %q", n, err, FormatDamages(found))
			}
		}
		close(checks)
	}()
	for seed := range uint64(30) {
		Extend(t, s, seed, 3)
		if seed%3 == 0 {
			_, err := gc.Remove(t.Context(), s, []schema.Digest{RunID(t, seed)})
			OK(t, err)
		}
	}
	stop.Store(true)
	for wrong := range checks {
		t.Error(wrong)
	}
}

// TestFindUnavailable: of records whose index entries, or whose bytes, are wrong, those that can be read are not found.
func TestFindUnavailable(t *testing.T) {
	s, _ := NewStore(t)
	Extend(t, s, 1, 4)
	listed, found := map[schema.Digest]schema.Kind{}, map[schema.Digest]error{}
	var names []schema.Digest
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(RunID(t, 1))
		OK(t, err)
		for _, it := range its {
			names = append(names, it.Records[0].Name)
			listed[it.Records[0].Name] = it.Records[0].Kind
		}
		index := tx.Rows().Bucket(rows.BucketDigests)
		OK(t, index.Put(names[1][:], bytes.Clone(index.Get(names[0][:]))))
		OK(t, index.Delete(names[2][:]))
		_, err = tx.Rows().PutTombstone(names[3])
		return err
	}))
	OK(t, check.FindUnavailable(t.Context(), s, listed, found))
	for i, want := range []error{nil, tracker.ErrDamaged, tracker.ErrDamaged, tracker.ErrPruned} {
		if got := found[names[i]]; !errors.Is(got, want) {
			t.Errorf("record %d: %v, want %v", i, got, want)
		}
	}
}

// TestCheckReadsASample: by default a check reads a sample of the records, and reports which.
func TestCheckReadsASample(t *testing.T) {
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	for seed := range uint64(200) {
		r, st := Acquire(t, w, seed, 1)
		Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, seed, 0)...)
	}
	OK(t, w.Close(t.Context()))
	all := Check(t, s, check.Options{Size: 1 << 30})
	Equal(t, "sample", all.Sample, "1/1")
	Equal(t, "read", all.Read, all.Records)

	found := Check(t, s, check.Options{Size: all.ReadBytes / 4})
	if found.Read == 0 || found.Read > all.Records/2 {
		t.Errorf("%d of %d records were read", found.Read, all.Records)
	}
	Equal(t, "bytes", found.Bytes, all.Bytes)
	var n, of int
	_, err := fmt.Sscanf(found.Sample, "%d/%d", &n, &of)
	OK(t, err)
	again := Check(t, s, check.Options{Read: check.SelectPart(n, of)})
	Equal(t, "read again", again.Read, found.Read)
	Equal(t, "sample", again.Sample, "")

	total := 0
	for n := range of {
		total += Check(t, s, check.Options{Read: check.SelectPart(n+1, of)}).Read
	}
	Equal(t, "all parts", total, all.Records)
	Equal(t, "nothing", Check(t, s, check.Options{}).Read, 0)
}
