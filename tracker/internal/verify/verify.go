// Package verify verifies many stored records: that each has the name and the kind under which it is listed.
package verify

import (
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/memory"
)

// A Record is a record in its stored form, with the entry that lists it.
type Record struct {
	Entry  schema.Entry
	Stored []byte
}

// A Verifier verifies records and remembers the results, by a hash of their stored bytes whose seed is unknown
// outside this process. So records that runs share, or that are read again, are unpacked only once.
type Verifier struct {
	seed    maphash.Seed
	found   map[schema.Entry]Verified
	largeMu sync.Mutex // held while a record larger than portion.Read is unpacked
}

// A Verified states that stored bytes with this hash are a valid record of this shape, or why they are none.
type Verified struct {
	Shape schema.Shape
	Err   error
	sum   uint64
}

// New returns a Verifier.
func New() *Verifier {
	return &Verifier{seed: maphash.MakeSeed(), found: map[schema.Entry]Verified{}}
}

// Verify verifies the names and kinds of records on all processors. Its error is the context's.
func (v *Verifier) Verify(ctx context.Context, c *codec.Codec, records []Record) ([]Verified, error) {
	made := make([]Verified, len(records))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(records)) {
		workers.Go(func() {
			var mem codec.Scratch
			for i := int(next.Add(1)) - 1; i < len(records) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				sum := maphash.Bytes(v.seed, records[i].Stored)
				if before, ok := v.found[records[i].Entry]; ok && before.sum == sum {
					made[i] = before
					continue
				}
				made[i].sum = sum
				made[i].Shape, made[i].Err = v.verifyOne(c, &mem, records[i])
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i, r := range records {
		if made[i].Err != nil {
			continue
		}
		if len(v.found) >= portion.Remembered {
			clear(v.found)
		}
		v.found[r.Entry] = made[i]
	}
	return made, nil
}

// checkForm checks the header of the stored form, and returns the raw length. A stored form that is not raw
// must be shorter than the record.
func (r Record) checkForm() (size int64, err error) {
	how, size, data, err := codec.Parse(r.Stored)
	if err == nil {
		_, _, err = codec.CheckHead(r.Stored[:min(len(r.Stored), codec.HeadSize)], int64(len(r.Stored)))
	}
	if err == nil && how != codec.Raw && int64(len(data)) >= size {
		err = codec.ErrMalformed // otherwise the stored form of a small record would be unbounded
	}
	if err != nil {
		err = storeerr.Damaged("%v", err)
	}
	return size, err
}

func (v *Verifier) verifyOne(c *codec.Codec, mem *codec.Scratch, r Record) (shape schema.Shape, err error) {
	size, err := r.checkForm()
	if err != nil {
		return shape, err
	}
	if size > portion.Read {
		v.largeMu.Lock()
		defer v.largeMu.Unlock()
	}
	raw, err := c.DecodeInto(mem, r.Entry.Name, r.Stored)
	switch {
	case errors.Is(err, memory.ErrNotEnough):
		return shape, err
	case err != nil:
		return shape, storeerr.Damaged("%v", err)
	}
	if err := schema.CheckRecord(r.Entry.Kind, raw); err != nil {
		return shape, err
	}
	return schema.ReadShape(raw)
}
