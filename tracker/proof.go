package tracker

import (
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/podtrack/podtrack/schema"
)

// packed is a record as it is stored, and the entry that lists it.
type packed struct {
	entry  schema.Entry
	stored []byte
}

// maxProofs bounds the memory of what was proved, at about 150 bytes each.
const maxProofs = 1 << 16

// proofs remembers which stored bytes are a record of which name and kind, by a
// hash that nobody outside this process can aim at: so records that runs share,
// or that are read a second time, are unpacked once.
type proofs struct {
	sealed bool // see [CopyOptions]
	seed   maphash.Seed
	found  map[schema.Entry]proof
	large  sync.Mutex // held while a record of more than maxStaged bytes is unpacked
}

// A proof says that stored bytes of that hash are a record, of that shape.
type proof struct {
	sum   uint64
	shape schema.Shape
}

func newProofs() *proofs {
	return &proofs{seed: maphash.MakeSeed(), found: map[schema.Entry]proof{}}
}

// prove holds records to their names and kinds, and says what is wrong with each.
// Of those of a sealed file it looks at the form alone, and returns no proofs.
func (p *proofs) prove(ctx context.Context, c *codec, records []packed) (made []proof, errs []error, err error) {
	if p.sealed {
		return nil, formsOf(records), ctx.Err()
	}
	made, errs = p.each(ctx, c, records)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	p.keep(records, made, errs)
	return made, errs, nil
}

func formsOf(records []packed) (errs []error) {
	for _, r := range records {
		_, err := r.form()
		errs = append(errs, err)
	}
	return errs
}

// each proves records on all processors, one by one.
func (p *proofs) each(ctx context.Context, c *codec, records []packed) (made []proof, errs []error) {
	made, errs = make([]proof, len(records)), make([]error, len(records))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(records)) {
		workers.Go(func() {
			var mem scratch
			for i := int(next.Add(1)) - 1; i < len(records) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				sum := maphash.Bytes(p.seed, records[i].stored)
				if before, ok := p.found[records[i].entry]; ok && before.sum == sum {
					made[i] = before
					continue
				}
				made[i].sum = sum
				made[i].shape, errs[i] = p.proveOne(c, &mem, records[i])
			}
		})
	}
	workers.Wait()
	return made, errs
}

func (p *proofs) keep(records []packed, made []proof, errs []error) {
	for i, r := range records {
		if errs[i] != nil {
			continue
		}
		if len(p.found) >= maxProofs {
			clear(p.found)
		}
		p.found[r.entry] = made[i]
	}
}

// form is the record's length by its stored form, whose beginning must be of one
// that can be, and which must be shorter than the record unless that is raw.
func (r packed) form() (size int64, err error) {
	how, size, data, err := packedSize(r.stored)
	if err == nil {
		_, _, err = packedForm(r.stored[:min(len(r.stored), packedHead)], int64(len(r.stored)))
	}
	if err == nil && how != codecRaw && int64(len(data)) >= size {
		err = errStored // nothing else bounds the stored form of a small record
	}
	if err != nil {
		err = damaged("%v", err)
	}
	return size, err
}

func (p *proofs) proveOne(c *codec, mem *scratch, r packed) (shape schema.Shape, err error) {
	size, err := r.form()
	if err != nil {
		return shape, err
	}
	if size > maxStaged {
		p.large.Lock()
		defer p.large.Unlock()
	}
	raw, err := c.recordIn(mem, r.entry.Name, r.stored)
	switch {
	case errors.Is(err, ErrMemory):
		return shape, err
	case err != nil:
		return shape, damaged("%v", err)
	}
	if err := schema.Check(r.entry.Kind, raw); err != nil {
		return shape, err
	}
	return schema.ShapeOf(raw)
}
