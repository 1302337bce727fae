package excerpt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestLimits: an excerpt of the largest size is written and read, and a larger one is refused. The writer and the
// reader start near the limit, as if most of the excerpt had passed before.
func TestLimits(t *testing.T) {
	write := func(n int) error {
		var b bytes.Buffer
		w, err := newItemWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w.size = MaxSize - 101 // with the length of an item
		return errors.Join(w.put(make([]byte, n)), w.close())
	}
	read := func(n int) error {
		var b bytes.Buffer
		w, err := newItemWriter(&b)
		if err := errors.Join(err, w.put(make([]byte, n)), w.close()); err != nil {
			t.Fatal(err)
		}
		r, err := newItemReader(t.Context(), &b)
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		r.left = 100
		_, err = r.next(1)
		return err
	}
	claim := func(n uint64) error {
		var b bytes.Buffer
		w, err := newItemWriter(&b)
		_, writing := w.zstd.Write(binary.AppendUvarint(nil, n))
		if err := errors.Join(err, writing, w.close()); err != nil {
			t.Fatal(err)
		}
		r, err := newItemReader(t.Context(), &b)
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		r.left = MaxSize
		_, err = r.next(0)
		return err
	}
	listRead := func(n int) error { return (&reader{lines: 10}).countLines(n - 10) }
	listWritten := func(n int) error {
		w, err := newItemWriter(&bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		its := []schema.Iteration{{Records: make([]schema.Entry, n-1)}}
		_, err = writeRows(w, tracker.Run{}, its, nil, func(int, int, schema.Entry) bool { return false })
		return err
	}
	for _, limit := range []struct {
		name, says string // what the error of the one beyond says
		at, beyond error
		then       string // why the one at the limit fails later, "" if it does not
	}{
		{"bytes that are written", "more than 1024 MiB", write(100), write(101), ""},
		{"bytes that are read", "more than 1024 MiB", read(100), read(101), ""},
		{"bytes that are claimed", "more than 1024 MiB", claim(MaxSize), claim(MaxSize + 1), "it ends too early"},
		{"lines that are read", "more than 1048576 iterations and records", listRead(MaxListed), listRead(MaxListed + 1),
			""},
		{"lines that are written", "more than 1048576 iterations and records", listWritten(MaxListed),
			listWritten(MaxListed + 1), "does not match the iteration"},
	} {
		if !errors.Is(limit.beyond, ErrTooLarge) || !strings.Contains(limit.beyond.Error(), limit.says) {
			t.Errorf("%s: one beyond %v, want %q", limit.name, limit.beyond, limit.says)
		}
		if at := fmt.Sprint(limit.at); limit.then == "" && limit.at != nil || !strings.Contains(at, limit.then) {
			t.Errorf("%s: at the limit %s, want %q", limit.name, at, limit.then)
		}
	}
}
