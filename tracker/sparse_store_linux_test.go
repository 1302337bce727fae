package tracker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// sparseStates is the number of states of the runs of a sparse store: their tables of values have
// 4 MiB.
const sparseStates = 1 << 19

// MakeSparseStore makes a store of about that many bytes that takes little of the disk: each run has
// one table of values, stored as it is, in which all values but the first are 0. Their pages are
// made holes of the file.
func MakeSparseStore(t testing.TB, path string, size int64) *Store {
	t.Helper()
	s := New(path, Options{})
	ok(t, s.Create(t.Context()))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	ok(t, err)
	defer file.Close()
	record, err := make(schema.Value, sparseStates).Encode()
	ok(t, err)
	const atOnce = 32
	hollow := int64(0)
	for first := 0; first < int(size)/len(record); first += atOnce {
		ok(t, s.updateUnsynced(t, func(tx *Tx) error {
			for seed := first; seed < first+atOnce; seed++ {
				head := record[len(record)-8*sparseStates:]
				binary.LittleEndian.PutUint64(head, math.Float64bits(float64(seed)+1))
				if err := tx.sparseRun(uint64(seed), record); err != nil {
					return err
				}
			}
			return nil
		}))
		hollow, err = digHoles(file, hollow)
		ok(t, err)
	}
	ok(t, file.Sync())
	return s
}

// updateUnsynced runs a writing transaction without a sync, so that the pages of zeros never reach
// the disk.
func (s *Store) updateUnsynced(t testing.TB, fn func(*Tx) error) error {
	o, err := s.openForTx(t.Context(), true, 0)
	if err != nil {
		return err
	}
	defer o.close()
	o.db.NoSync = true
	tx, err := s.beginTx(t.Context(), o)
	if err != nil {
		return err
	}
	return errors.Join(fn(tx), tx.rows.WriteIndex(), o.tx.Commit())
}

// sparseRun adds a run of one iteration with one record.
func (t *Tx) sparseRun(seed uint64, record []byte) error {
	claim := Claim{Spec: Spec(seed)}
	claim.Spec.Env.Params["bits"] = 19
	run, err := t.CreateRun(claim)
	if err != nil {
		return err
	}
	list := []schema.Entry{{Kind: schema.KindValue, Name: schema.Name(record)}}
	if err := t.rows.AppendRecord(list[0].Name, Unpacked(record)); err != nil {
		return err
	}
	link, err := schema.Link(0, run.ID, list)
	if err != nil {
		return err
	}
	return errors.Join(t.rows.PutIteration(run.ID, 0, schema.Iteration{Link: link, Records: list}),
		rows.Write(t.rows, rows.BucketCosts, rows.PartKey(run.ID, 0), Cost{Stages: map[string]int64{"learn": 1}}))
}

// digHoles makes holes of the parts of the file from an offset on that are zeros, and returns the
// offset up to which it has done so.
func digHoles(f *os.File, from int64) (int64, error) {
	const part = 64 << 10
	buf, zeros := make([]byte, part), make([]byte, part)
	for ; ; from += part {
		n, err := f.ReadAt(buf, from)
		switch {
		case n < part && (err == nil || errors.Is(err, io.EOF)):
			return from, nil
		case err != nil:
			return from, err
		case bytes.Equal(buf, zeros):
			if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, part); err != nil {
				return from, err
			}
		}
	}
}
