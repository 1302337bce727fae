package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/excerpt"
)

// TestForgedEvidence: evidence that no podtrack writes, of some hundred kilobytes that stand for gigabytes or
// for days, ends check as documented under a limit on memory, and soon after a signal.
func TestForgedEvidence(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	limit := fmt.Sprintf("ulimit -v %d", addressLimit)
	if out, err := limited(t, stopAfter, limit, "--version").CombinedOutput(); err != nil {
		schematest.SkipLacking(t, "under %s the program does not even start: %v\n%.300s", limit, err, out)
	}
	store, _, document := documented(t)
	text, _, _ := strings.Cut(string(document), "<script ")
	var run tracker.Run
	e2e.Must(t, tracker.New(store, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) (err error) {
		run, err = tx.Resolve("@1")
		return err
	}))
	record := func(kind schema.Kind, size int) func() bytes.Buffer {
		return func() bytes.Buffer { return forgedRecord(t, run.Spec, kind, size) }
	}
	listing := func(iterations, each int) func() bytes.Buffer {
		return func() bytes.Buffer { return forgedListing(t, run.Spec, iterations, each) }
	}
	ancestors := func(n int) func() bytes.Buffer {
		return func() bytes.Buffer { return packItems(t, forgedHeader(t, run.Spec, 1, n)) }
	}
	for _, evidence := range schematest.Sample([]struct {
		name string
		make func() bytes.Buffer
	}{
		{"a million ancestors", ancestors(1 << 20)},
		{"a gigabyte of ancestors", ancestors(excerpt.MaxSize / 2)},
		{"a million iterations", listing(excerpt.MaxListed-1, 0)},
		{"more than it may list", listing(100, excerpt.MaxListed/100)},
		{"half a million others", listing(50, 10_000)},
		{"an option of half a gigabyte", record(schema.KindOption, excerpt.MaxSize/2)},
		{"a value table of a gigabyte", record(schema.KindValue, excerpt.MaxSize-1<<20)},
		{"factors of a gigabyte", record(schema.KindFactors, excerpt.MaxSize-1<<20)},
		{"selections of a gigabyte", record(schema.KindSelection, excerpt.MaxSize-1<<20)},
		{"others of one iteration", listing(1, 1<<19)},
	}) {
		t.Run(evidence.name, func(t *testing.T) {
			out, err := tryLimited(t, limit, nil, "check", composeOf(t, text, evidence.make()))
			if err == nil || bytes.Contains(out, []byte("proved:")) {
				t.Errorf("accepted:\n%s", out)
			}
		})
	}
}

// packItems compresses items, each after its length.
func packItems(t *testing.T, items ...[]byte) (out bytes.Buffer) {
	t.Helper()
	z, err := zstd.NewWriter(&out, zstd.WithWindowSize(8<<20))
	e2e.Must(t, err)
	for _, item := range items {
		_, err = z.Write(binary.AppendUvarint(nil, uint64(len(item))))
		e2e.Must(t, err)
		_, err = z.Write(item)
		e2e.Must(t, err)
	}
	e2e.Must(t, z.Close())
	return out
}

// forgedHeader returns the header of so many iterations that claims so many ancestors, each of a byte.
func forgedHeader(t *testing.T, spec schema.Spec, iterations, ancestors int) []byte {
	t.Helper()
	note, err := wire.Marshal(map[string]any{"k": 0, "j": 1, "sign": 1, "program": "podtrack"})
	e2e.Must(t, err)
	header, err := wire.Marshal(map[string]any{"version": 1, "note": note, "spec": spec, "start": nil,
		"ancestors": []int{}, "iterations": iterations})
	e2e.Must(t, err)
	if ancestors == 0 {
		return header
	}
	none := []byte("iancestors\x80")
	many := binary.BigEndian.AppendUint32([]byte("iancestors\x9a"), uint32(ancestors))
	if !bytes.Contains(header, none) {
		t.Fatalf("no empty list of ancestors in %q", header)
	}
	return bytes.Replace(header, none, append(many, bytes.Repeat([]byte{0xa0}, ancestors)...), 1)
}

// forgedListing returns evidence of iterations that each list so many records of which only the digests
// are there. They descend.
func forgedListing(t *testing.T, spec schema.Spec, iterations, each int) bytes.Buffer {
	t.Helper()
	items, next := [][]byte{forgedHeader(t, spec, iterations, 0)}, uint32(math.MaxUint32)
	for range iterations {
		entries := make([]schema.Entry, each)
		for i := range entries {
			entries[i].Kind = schema.KindValue
			binary.BigEndian.PutUint32(entries[i].Name[:], next)
			next--
		}
		item, err := wire.Marshal(map[string]any{"records": entries, "kept": []int{}})
		e2e.Must(t, err)
		items = append(items, item)
	}
	return packItems(t, items...)
}

// forgedRecord returns evidence of one record of a kind, with its digest and so many zeros.
func forgedRecord(t *testing.T, spec schema.Spec, kind schema.Kind, size int) bytes.Buffer {
	t.Helper()
	shape := map[schema.Kind]schema.Shape{schema.KindValue: {64}, schema.KindOption: {6, 64, 2},
		schema.KindFactors: {100, 6}, schema.KindSelection: {6}}[kind]
	head, err := wire.Marshal(map[string]any{"kind": kind, "version": 1, "shape": shape})
	e2e.Must(t, err)
	record := append(head, make([]byte, size)...)
	entries := []schema.Entry{{Kind: kind, Name: schema.Name(record)}}
	item, err := wire.Marshal(map[string]any{"records": entries, "kept": []int{0}})
	e2e.Must(t, err)
	return packItems(t, forgedHeader(t, spec, 1, 0), item, record)
}
