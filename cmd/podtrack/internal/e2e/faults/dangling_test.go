package faults

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// nobodys is a digest that nothing in the store has.
var nobodys = schema.Digest(bytes.Repeat([]byte{0xab}, 32))

// dangle is a store in which every row has a valid checksum, and one row is false.
type dangle struct {
	forge  func(*testing.T, *forger)
	check  int    // its exit code
	says   string // by check
	repair int    // its exit code
	large  bool   // so that of all others only what reads is tried
}

// manyNames is how many records an iteration names where it names many.
var manyNames = schematest.Size(12_000, 100_000)

var dangling = map[string]dangle{
	"an iteration that names a record which is not there": {func(t *testing.T, f *forger) {
		f.entries(t, append(entriesOf(t, f.tx, f.run.ID, 1), schema.Entry{Kind: schema.KindValue, Name: nobodys}))
	}, cmdline.ExitDifference, "iteration 1: value record abababababab: it is not in the index",
		cmdline.ExitDifference, false},
	"an iteration that names many": {func(t *testing.T, f *forger) {
		f.entries(t, absent(entriesOf(t, f.tx, f.run.ID, 1), manyNames))
	}, cmdline.ExitDifference, "more, which are not listed", cmdline.ExitDifference, true},
	"an iteration that names one record many times": {func(t *testing.T, f *forger) {
		entries := entriesOf(t, f.tx, f.run.ID, 1)
		for len(entries) < manyNames {
			entries = append(entries, entries[1])
		}
		f.entries(t, entries)
	}, cmdline.ExitDone, "no damage was found", cmdline.ExitDone, true},
	"a tag of no run": {func(t *testing.T, f *forger) {
		f.put(t, "tags", append(nobodys[:], "tag"...), map[string]any{"added": 5})
	}, cmdline.ExitDifference, "tags: row abab", cmdline.ExitDifference, false},
	"a lease of no run": {ofNobody("leases", nobodys[:], tracker.Lease{Host: "here"}), cmdline.ExitDifference,
		"leases: row abab", cmdline.ExitDifference, false},
	"a cost of no run": {ofNobody("costs", iterationKey(nobodys, 0), tracker.Cost{}), cmdline.ExitDifference,
		"costs: row abab", cmdline.ExitDifference, false},
	"a session of no run": {ofNobody("sessions", iterationKey(nobodys, 0), tracker.Session{}), cmdline.ExitDifference,
		"sessions: row abab", cmdline.ExitDifference, false},
	"a checkpoint of no run": {ofNobody("checkpoints", nobodys[:], tracker.Checkpoint{}), cmdline.ExitDifference,
		"checkpoints: row abab", cmdline.ExitDifference, false},
	"an annotation of no run": {
		ofNobody("annotations", nobodys[:], tracker.Annotation{Name: "ghost"}), cmdline.ExitDifference,
		"annotations: row abab", cmdline.ExitDifference, false,
	},
	"a keep of no run": {ofNobody("keeps", nobodys[:], tracker.Retention{Kinds: []schema.Kind{}}), cmdline.ExitDifference,
		"keeps: row abab", cmdline.ExitDifference, false},
	"an iteration of no run": {func(t *testing.T, f *forger) {
		_, value := rowOf(t, f.tx, "iterations", iterationKey(f.run.ID, 0))
		putRow(t, f.tx, "iterations", iterationKey(nobodys, 0), value)
	}, cmdline.ExitDifference, "iterations: row abab", cmdline.ExitDifference, false},
	"a number of no run": {ofNobody("order", numbered(99), map[string]any{"run": nobodys[:]}), cmdline.ExitDifference,
		"which does not exist", cmdline.ExitDone, false},
	"a name of no run": {ofNobody("names", []byte("ghost"), map[string]any{"run": nobodys[:]}), cmdline.ExitDifference,
		"which does not exist", cmdline.ExitDone, false},
	"an ancestor that is not there": {func(t *testing.T, f *forger) {
		start := nobodys
		child := f.run.Spec
		child.Kappa = 3
		f.make(t, child, &start, tracker.Ancestor{Spec: f.run.Spec, Until: 1})
	}, cmdline.ExitDifference, "with only 0 of the 1 iterations that it shares", cmdline.ExitDifference, false},
	"another numerics version": {func(t *testing.T, f *forger) {
		f.run.Spec.Numerics = 1
		f.make(t, f.run.Spec, nil)
	}, cmdline.ExitDifference, "numerics version 1", cmdline.ExitDifference, false},
	"a spec of 2 MB": {func(t *testing.T, f *forger) {
		f.run.Spec.Env.Name = strings.Repeat("x", 2<<20)
		f.make(t, f.run.Spec, nil)
	}, cmdline.ExitDifference, "runs: its row is damaged", cmdline.ExitDifference, false},
	"a spec that is nested a million deep": {func(t *testing.T, f *forger) {
		f.run.Spec.Kappa = 3
		f.make(t, f.run.Spec, nil)
		deep := append([]byte{0xa1, 0x64, 's', 'p', 'e', 'c'}, bytes.Repeat([]byte{0x81}, 1_000_000)...)
		putRow(t, f.tx, "runs", f.made[:], append(deep, 0))
	}, cmdline.ExitDifference, "runs: its row is damaged", cmdline.ExitDifference, false},
	"a name of 2 MB": {func(t *testing.T, f *forger) {
		f.put(t, "annotations", f.run.ID[:], tracker.Annotation{Name: strings.Repeat("n", 2<<20), Target: 2})
	}, cmdline.ExitDifference, "annotations: its row is damaged", cmdline.ExitDifference, false},
	"a name that no run can have": {func(t *testing.T, f *forger) {
		f.put(t, "annotations", f.run.ID[:], tracker.Annotation{Name: "\x1b[2J", Target: 2})
	}, cmdline.ExitDifference, "annotations: its row is damaged", cmdline.ExitDifference, false},
	"a tag that no run can have": {func(t *testing.T, f *forger) {
		f.put(t, "tags", append(f.run.ID[:], strings.Repeat("t", 20_000)...), map[string]any{"added": 5})
	}, cmdline.ExitDifference, "tags: its row is damaged", cmdline.ExitDifference, false},
}

// TestDangling: whatever rows say, every command ends with a code and words that
// are documented and of bounded length; check finds it; and repair mends it, or
// says what it cannot mend.
func TestDangling(t *testing.T) {
	t.Parallel()
	made := filepath.Join(t.TempDir(), "made.db")
	e2e.Perform(t, "run", "--bits", "4", "--steps", "30", "--iterations", "2", "--seeds", "0-1", "--name", "s{seed}",
		"--parallel", "1", "--store", made)
	sound := e2e.ContentOf(t, made)
	for i, name := range schematest.Sample(slices.Sorted(maps.Keys(dangling))) {
		d := dangling[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store.db")
			e2e.Must(t, os.WriteFile(store, sound, 0o600))
			forged := d.in(t, store)
			for j, args := range d.commands() {
				if (i+j)%schematest.Size(4, 1) != 0 {
					continue // another case has its turn
				}
				if args[0] != "merge" {
					args = append(args, "--store", "STORE")
				}
				e2e.Must(t, os.WriteFile(store, forged, 0o600))
				bounded(t, answer(t, inDir(filepath.Dir(store), args), cmdline.ExitDone, cmdline.ExitDifference,
					cmdline.ExitFailure,
					cmdline.ExitUnverified))
			}
			e2e.Must(t, os.WriteFile(store, forged, 0o600))
			p := answer(t, []string{"check", "--store", store}, d.check)
			if bounded(t, p); !strings.Contains(p.Printed.String(), d.says) {
				t.Errorf("check does not say %q:\n%.2000s", d.says, p.Printed.String())
			}
			bounded(t, answer(t, []string{"repair", "--store", store}, d.repair))
			if !bytes.Equal(e2e.ContentOf(t, store), forged) {
				answer(t, []string{"check", "--read-data", "--store", store}, cmdline.ExitDone)
			}
			e2e.Perform(t, "replay", "s1", "--store", store)
		})
	}
}

// commands returns what is tried on a store. In it are the runs s0 and s1, and where
// one was forged, that is the newest.
func (d dangle) commands() [][]string {
	reads := [][]string{{"ls"}, {"ls", "--json"}, {"show", "s0"}, {"show", "@1"}, {"options", "@2"},
		{"check", "--read-data"}}
	if d.large {
		return reads
	}
	return append(reads, [][]string{
		{"replay", "s0"}, {"replay", "@1"}, {"merge", "STORE", "--store", "DIR/target.db"}, {"label", "@1", "--tag", "x"},
		{"label", "ghost", "--tag", "x"},
		{"run", "--bits", "4", "--steps", "30", "--iterations", "2", "--seed", "7"}, {"resume", "@1", "--iterations", "3"},
		{"rm", "--yes", "@1"}, {"rm", "--yes", "s0"}, {"compact"}, {"repair", "--pruned"},
		{"export", "s0", "--format", "bundle", "-o", "DIR/bundle.db", "--force"},
	}...)
}

// bounded checks that output does not grow with the forged contents of a row.
func bounded(t *testing.T, p *e2e.Program) {
	t.Helper()
	if out, words := p.Printed.Len(), p.Said.Len(); out > 1<<20 || words > 10_000 {
		t.Errorf("%v prints %d bytes, and %d of messages", p.Args, out, words)
	}
}

// forger writes rows with right checksums.
type forger struct {
	tx   *bbolt.Tx
	run  tracker.Run   // s0
	made schema.Digest // the run that was forged
}

// in forges a store, and returns what it is then.
func (d dangle) in(t *testing.T, store string) []byte {
	t.Helper()
	f := &forger{}
	e2e.Must(t, tracker.New(store, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) (err error) {
		f.run, err = tx.Resolve("s0")
		return err
	}))
	changeStore(t, store, func(tx *bbolt.Tx) error {
		f.tx = tx
		d.forge(t, f)
		return nil
	})
	return e2e.ContentOf(t, store)
}

func (f *forger) put(t *testing.T, bucket string, key []byte, v any) {
	t.Helper()
	value, err := wire.Marshal(v)
	e2e.Must(t, err)
	putRow(t, f.tx, bucket, key, value)
}

// entries makes the last iteration of s0 list something else.
func (f *forger) entries(t *testing.T, entries []schema.Entry) {
	t.Helper()
	_, before := rowOf(t, f.tx, "iterations", iterationKey(f.run.ID, 0))
	link, err := schema.Link(1, schema.Digest(before[:len(nobodys)]), entries)
	e2e.Must(t, err)
	list, err := wire.Marshal(entries)
	e2e.Must(t, err)
	putRow(t, f.tx, "iterations", iterationKey(f.run.ID, 1), append(link[:], list...))
}

// make makes a run with all the rows that one has.
func (f *forger) make(t *testing.T, spec schema.Spec, start *schema.Digest, ancestors ...tracker.Ancestor) {
	t.Helper()
	id, err := schema.RunID(spec, start)
	e2e.Must(t, err)
	const number = 3
	f.made = id
	f.put(t, "runs", id[:], map[string]any{"number": number, "spec": spec, "start": start, "ancestors": ancestors})
	f.put(t, "order", numbered(number), map[string]any{"run": id[:]})
	f.put(t, "annotations", id[:], tracker.Annotation{Target: 1})
	e2e.Must(t, f.tx.Bucket([]byte("order")).SetSequence(number))
}

func ofNobody(bucket string, key []byte, v any) func(*testing.T, *forger) {
	return func(t *testing.T, f *forger) { f.put(t, bucket, key, v) }
}

func numbered(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// absent adds options that are not there.
func absent(entries []schema.Entry, n int) []schema.Entry {
	for len(entries) < n {
		name := nobodys
		binary.BigEndian.PutUint64(name[8:], uint64(len(entries)))
		entries = append(entries, schema.Entry{Kind: schema.KindOption, Name: name})
	}
	return entries
}
