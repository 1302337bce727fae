package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/memory"
	"github.com/podtrack/podtrack/tracker/rows"
)

// FindUnavailable adds to found the listed records that a store cannot return: each with why it is damaged,
// missing or pruned. It skips records that do not fit into memory.
func FindUnavailable(
	ctx context.Context, s *tracker.Store, listed map[schema.Digest]schema.Kind, found map[schema.Digest]error,
) error {
	c := &checker{
		store: s, Options: Options{Read: func(schema.Digest) bool { return true }}, kinds: listed,
		bad: found, verifier: verify.New(), onlyFinds: true,
	}
	err := c.locateRecords(ctx)
	if err == nil {
		err = c.checkRecords(ctx)
	}
	return err
}

// locateRecords looks up in the index every record that rows name.
func (c *checker) locateRecords(ctx context.Context) error {
	for name := range c.kinds {
		c.names = append(c.names, name)
	}
	rows.SortNames(c.names)
	c.report.Records = len(c.names)
	err := tracker.ViewEach(ctx, c.store, c.names, func(tx *tracker.Tx, name schema.Digest) error {
		return c.suspect(name, func() error {
			switch seq := tx.Rows().PlaceOf(name); {
			case seq == nil:
				return storeerr.Damaged("it is not in the index")
			case rows.IsTombstone(seq) && c.onlyFinds:
				c.bad[name] = tracker.ErrPruned
			case rows.IsTombstone(seq):
				c.report.Pruned++
			case len(seq) != 8:
				return storeerr.Damaged("its index entry is damaged")
			default:
				c.places = append(c.places, recordLocation{binary.BigEndian.Uint64(seq), name})
			}
			return nil
		})
	})
	slices.SortFunc(c.places, func(a, b recordLocation) int { return cmp.Compare(a.seq, b.seq) })
	return err
}

// countUnused counts the records of the index that no row names. It ignores records that were added
// since the check began.
func (c *checker) countUnused(_ *tracker.Tx, bucket string, key, entry []byte) ([]byte, error) {
	if len(key) != len(schema.Digest{}) {
		return nil, rows.DamagedError(bucket, key)
	}
	if _, named := c.kinds[schema.Digest(key)]; named {
		return nil, nil
	}
	switch seq, _ := rows.SplitEntry(entry); {
	case rows.IsTombstone(seq):
	case len(seq) != 8:
		return nil, rows.DamagedError(bucket, key)
	case binary.BigEndian.Uint64(seq) <= c.lastSequence:
		c.report.Unused++
	}
	return nil, nil
}

// checkRecords examines the records in file order, and verifies those that are to be read, about
// portion.Read bytes in a transaction.
func (c *checker) checkRecords(ctx context.Context) error {
	packer, err := c.store.Codec()
	if err != nil {
		return err
	}
	if err := c.examineRecords(ctx, packer); err != nil || c.Read != nil || c.Size == 0 {
		return err
	}
	c.chooseSample()
	return c.examineRecords(ctx, packer)
}

// chooseSample selects the records to read at random, so that the next check of the store reads others.
func (c *checker) chooseSample() {
	t := int((c.rawBytes + c.Size - 1) / c.Size)
	n := 1 + rand.IntN(max(t, 1))
	c.Read, c.report.Sample = SelectPart(n, max(t, 1)), fmt.Sprintf("%d/%d", n, max(t, 1))
	c.places = slices.DeleteFunc(c.places, func(p recordLocation) bool {
		return c.bad[p.name] != nil || !c.Read(p.name)
	})
	c.sampling = true
}

// SelectPart returns a predicate that selects part n of t (1 ≤ n ≤ t) of all records, by their
// digests. The t parts are disjoint and complete.
func SelectPart(n, t int) func(schema.Digest) bool {
	return func(name schema.Digest) bool {
		return binary.BigEndian.Uint64(name[:])%uint64(t) == uint64(n-1)
	}
}

// examineRecords examines all record locations, and verifies the records that are to be read.
func (c *checker) examineRecords(ctx context.Context, packer *codec.Codec) error {
	for i := 0; i < len(c.places); {
		var batch []verify.Record
		size := int64(0)
		err := c.store.ViewInShortTxs(ctx, func(tx *tracker.Tx) (bool, error) {
			if i == len(c.places) || size >= portion.Read {
				return false, nil
			}
			p, err := c.examineRecord(tx, i)
			if i++; p != nil {
				batch = append(batch, *p)
				size += int64(len(p.Stored))
			}
			return true, err
		})
		if err == nil {
			err = c.verifyRecords(ctx, packer, batch)
		}
		if err != nil {
			return err
		}
		if c.Progress != nil && (c.Read != nil || c.Size == 0) { // otherwise a sample will be read
			c.Progress(i, len(c.places))
		}
	}
	return nil
}

// examineRecord checks the header of a stored record, and returns the record if it is to be read.
func (c *checker) examineRecord(tx *tracker.Tx, i int) (p *verify.Record, err error) {
	at := c.places[i]
	err = c.suspect(at.name, func() error {
		if i > 0 && c.places[i-1].seq == at.seq && !c.onlyFinds { // else its bytes tell
			c.addBad(c.places[i-1].name, storeerr.Damaged("it shares its place with record %s", at.name))
			return storeerr.Damaged("it shares its place with record %s", c.places[i-1].name)
		}
		raw, stored, err := checkStored(tx, at.seq)
		if err != nil {
			return err
		}
		if !c.sampling {
			c.report.Bytes += stored
			c.rawBytes += raw
		}
		if c.Read != nil && c.Read(at.name) {
			p = &verify.Record{Entry: schema.Entry{Kind: c.kinds[at.name], Name: at.name},
				Stored: bytes.Clone(tx.Rows().Bucket(rows.BucketRecords).Get(rows.NumberKey(at.seq)))}
		}
		return nil
	})
	return p, err
}

// checkStored returns the raw and the stored length in bytes of the record at seq. It returns
// [tracker.ErrDamaged] if no record can have that form.
func checkStored(tx *tracker.Tx, seq uint64) (raw, stored int64, err error) {
	head, stored := tx.Rows().Bucket(rows.BucketRecords).Head(rows.NumberKey(seq), codec.HeadSize)
	if head == nil {
		return 0, 0, storeerr.Damaged("its place is empty")
	}
	raw, _, err = codec.CheckHead(head, stored)
	if err != nil {
		err = storeerr.Damaged("%v", err)
	}
	return raw, stored, err
}

func (c *checker) verifyRecords(ctx context.Context, packer *codec.Codec, batch []verify.Record) error {
	made, err := c.verifier.Verify(ctx, packer, batch)
	if err != nil {
		return err
	}
	for i, p := range batch {
		c.report.Read++
		c.report.ReadBytes += int64(len(p.Stored))
		switch why := made[i].Err; {
		case c.onlyFinds && errors.Is(why, memory.ErrNotEnough):
		case why != nil:
			c.addBad(p.Entry.Name, why)
		case c.CheckShape != nil:
			c.shapes[p.Entry.Name] = made[i].Shape
		}
	}
	return nil
}
