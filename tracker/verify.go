package tracker

import (
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/memory"
)

// storedRecord is a record in its stored form, with the entry that lists it.
type storedRecord struct {
	entry  schema.Entry
	stored []byte
}

// maxRemembered bounds the number of remembered records, at about 150 bytes each.
const maxRemembered = 1 << 16

// verifier verifies records and remembers the results, by a hash of their stored bytes whose seed
// is unknown outside this process. So records that runs share, or that are read again, are unpacked
// once.
type verifier struct {
	sealed  bool // see [CopyOptions]
	seed    maphash.Seed
	found   map[schema.Entry]verifiedRecord
	largeMu sync.Mutex // held while a record of more than maxStaged bytes is unpacked
}

// A verifiedRecord states that stored bytes with that hash are a record of that shape.
type verifiedRecord struct {
	sum   uint64
	shape schema.Shape
}

func newVerifier() *verifier {
	return &verifier{seed: maphash.MakeSeed(), found: map[schema.Entry]verifiedRecord{}}
}

// verify verifies the names and kinds of records, and returns an error or nil for each. Of records
// of a sealed file it checks only the form, and returns a nil made.
func (p *verifier) verify(
	ctx context.Context, c *codec.Codec, records []storedRecord,
) (made []verifiedRecord, errs []error, err error) {
	if p.sealed {
		return nil, checkForms(records), ctx.Err()
	}
	made, errs = p.verifyAll(ctx, c, records)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	p.remember(records, made, errs)
	return made, errs, nil
}

func checkForms(records []storedRecord) (errs []error) {
	for _, r := range records {
		_, err := r.checkForm()
		errs = append(errs, err)
	}
	return errs
}

// verifyAll verifies records one by one on all processors.
func (p *verifier) verifyAll(
	ctx context.Context, c *codec.Codec, records []storedRecord,
) (made []verifiedRecord, errs []error) {
	made, errs = make([]verifiedRecord, len(records)), make([]error, len(records))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(records)) {
		workers.Go(func() {
			var mem codec.Scratch
			for i := int(next.Add(1)) - 1; i < len(records) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				sum := maphash.Bytes(p.seed, records[i].stored)
				if before, ok := p.found[records[i].entry]; ok && before.sum == sum {
					made[i] = before
					continue
				}
				made[i].sum = sum
				made[i].shape, errs[i] = p.verifyOne(c, &mem, records[i])
			}
		})
	}
	workers.Wait()
	return made, errs
}

func (p *verifier) remember(records []storedRecord, made []verifiedRecord, errs []error) {
	for i, r := range records {
		if errs[i] != nil {
			continue
		}
		if len(p.found) >= maxRemembered {
			clear(p.found)
		}
		p.found[r.entry] = made[i]
	}
}

// checkForm checks the header of the stored form, and returns the raw length. The stored form must
// be shorter than the record unless that is raw.
func (r storedRecord) checkForm() (size int64, err error) {
	how, size, data, err := codec.Parse(r.stored)
	if err == nil {
		_, _, err = codec.CheckHead(r.stored[:min(len(r.stored), codec.HeadSize)], int64(len(r.stored)))
	}
	if err == nil && how != codec.Raw && int64(len(data)) >= size {
		err = codec.ErrMalformed // otherwise the stored form of a small record would be unbounded
	}
	if err != nil {
		err = damagedError("%v", err)
	}
	return size, err
}

func (p *verifier) verifyOne(c *codec.Codec, mem *codec.Scratch, r storedRecord) (shape schema.Shape, err error) {
	size, err := r.checkForm()
	if err != nil {
		return shape, err
	}
	if size > maxStaged {
		p.largeMu.Lock()
		defer p.largeMu.Unlock()
	}
	raw, err := c.DecodeInto(mem, r.entry.Name, r.stored)
	switch {
	case errors.Is(err, memory.ErrNotEnough):
		return shape, err
	case err != nil:
		return shape, damagedError("%v", err)
	}
	if err := schema.CheckRecord(r.entry.Kind, raw); err != nil {
		return shape, err
	}
	return schema.ReadShape(raw)
}
