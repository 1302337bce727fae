package excerpt

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

type header struct {
	Version    int                         `cbor:"version"`
	Note       []byte                      `cbor:"note"`
	Spec       schema.Spec                 `cbor:"spec"`
	Start      *schema.Digest              `cbor:"start"`
	Ancestors  wire.List[tracker.Ancestor] `cbor:"ancestors"`
	Iterations int                         `cbor:"iterations"`
}

const version = 1

type iterationItem struct {
	Records wire.List[schema.Entry] `cbor:"records"`
	Kept    []int                   `cbor:"kept"` // ascending positions in Records of those whose bytes follow
}

// Keep reports whether an excerpt has the bytes of the i-th record of iteration k.
type Keep func(k, i int, e schema.Entry) bool

// Write writes the excerpt of a run. The note is for the reader of the excerpt.
func Write(ctx context.Context, w io.Writer, s *tracker.Store, id schema.Digest, note []byte, keep Keep) error {
	var run tracker.Run
	var its []schema.Iteration
	if err := s.View(ctx, func(tx *tracker.Tx) (err error) {
		if run, err = tx.ReadRun(id); err == nil {
			its, err = tx.ReadIterations(id)
		}
		return err
	}); err != nil {
		return err
	}
	items, err := newItemWriter(w)
	if err != nil {
		return err
	}
	names, err := writeRows(items, run, its, note, keep)
	if err == nil {
		err = writeRecords(ctx, items, s, names)
	}
	return errors.Join(err, items.close())
}

// writeRows writes the identity of the run and its iterations, and returns the records whose bytes must follow.
func writeRows(
	w *itemWriter, run tracker.Run, its []schema.Iteration, note []byte, keep Keep,
) (names []schema.Digest, err error) {
	ancestors := append([]tracker.Ancestor{}, run.Ancestors...)
	err = w.marshal(header{Version: version, Note: note, Spec: run.Spec, Start: run.Start, Ancestors: ancestors,
		Iterations: len(its)})
	seen, before, lines := map[schema.Digest]bool{}, schema.Digest{}, 0
	for k, it := range its {
		if lines += 1 + len(it.Records); err == nil && lines > MaxListed {
			err = errListsTooMuch
		}
		if err == nil {
			err = run.VerifyLink(k, before, it)
		}
		if err != nil {
			return nil, err
		}
		item := iterationItem{Records: it.Records, Kept: []int{}}
		for i, e := range it.Records {
			if !keep(k, i, e) {
				continue
			}
			item.Kept = append(item.Kept, i)
			if !seen[e.Name] {
				seen[e.Name], names = true, append(names, e.Name)
			}
		}
		err, before = w.marshal(item), it.Link
	}
	return names, err
}

func writeRecords(ctx context.Context, w *itemWriter, s *tracker.Store, names []schema.Digest) error {
	return tracker.ViewEach(ctx, s, names, func(tx *tracker.Tx, name schema.Digest) error {
		record, err := tx.ReadRecord(name)
		if err == nil {
			err = w.put(record)
		}
		if err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
		return nil
	})
}
