package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
)

// TestForgedBundles writes what podtrack would not have written into one of two runs of a bundle: that run is refused
// and named, and the other is merged.
func TestForgedBundles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bundle := filepath.Join(dir, "bundle.db")
	e2e.Perform(t, "run", "--store", bundle, "--bits", "5", "--steps", "60", "--iterations", "2", "--seeds", "0-1",
		"--parallel", "1")
	victim := e2e.List(t, bundle, "seed=0")[0].ID
	for name, f := range map[string]struct {
		forge func(*testing.T, *bbolt.Tx)
		says  []string
	}{
		"a record under a wrong name": {func(t *testing.T, tx *bbolt.Tx) {
			digests := tx.Bucket([]byte("digests"))
			first, second := entriesOf(t, tx, victim, 0)[0].Name, entriesOf(t, tx, victim, 1)[0].Name
			e2e.Must(t, digests.Put(second[:], bytes.Clone(digests.Get(first[:]))))
		}, []string{"iteration 1: transitions record ", "its digest does not match"}},
		"a wrong link": {func(t *testing.T, tx *bbolt.Tx) {
			key, value := rowOf(t, tx, "iterations", iterationKey(victim, 1))
			value[3] ^= 1
			putRow(t, tx, "iterations", key, value)
		}, []string{"iteration 1: link ", "does not match the iteration"}},
		"a run under another ID": {func(t *testing.T, tx *bbolt.Tx) {
			other := victim
			for other == victim {
				other = schema.Digest(firstKeyBut(tx, "runs", victim))
			}
			_, value := rowOf(t, tx, "runs", other[:])
			putRow(t, tx, "runs", victim[:], value)
		}, []string{victim.String(), "its row belongs to another run"}},
		"an entry of a wrong kind": {func(t *testing.T, tx *bbolt.Tx) {
			entries := entriesOf(t, tx, victim, 1)
			entries[0].Kind = schema.KindFactors
			_, before := rowOf(t, tx, "iterations", iterationKey(victim, 0))
			link, err := schema.Link(1, schema.Digest(before[:len(victim)]), entries)
			e2e.Must(t, err)
			list, err := wire.Marshal(entries)
			e2e.Must(t, err)
			putRow(t, tx, "iterations", iterationKey(victim, 1), append(link[:], list...))
		}, []string{"iteration 1: factors record ", "a transitions record of"}},
	} {
		t.Run(name, func(t *testing.T) {
			forged, store := filepath.Join(t.TempDir(), "forged.db"), filepath.Join(t.TempDir(), "store.db")
			e2e.Must(t, os.WriteFile(forged, e2e.ContentOf(t, bundle), 0o600))
			db, err := bbolt.Open(forged, 0, &bbolt.Options{Timeout: time.Second})
			e2e.Must(t, err)
			e2e.Must(t, db.Update(func(tx *bbolt.Tx) error { f.forge(t, tx); return nil }))
			e2e.Must(t, db.Close())
			before := e2e.ContentOf(t, forged)
			p := e2e.Start(t, "merge", forged, "--store", store)
			p.Exit(t, cmdline.ExitDifference)
			for _, part := range append(f.says, "runs that were not merged: 1 of 2", fmt.Sprintf("run %.12s of ", victim)) {
				if !strings.Contains(p.Said.String(), part) {
					t.Errorf("stderr does not say %q:\n%s", part, p.Said.String())
				}
			}
			runs := e2e.List(t, store)
			if len(runs) != 1 || runs[0].ID == victim {
				t.Errorf("%d runs came over: %v", len(runs), e2e.Heads(runs))
			}
			e2e.Perform(t, "replay", "seed=1", "--store", store)
			lacking := filepath.Join(filepath.Dir(store), "lacking.db")
			e2e.Start(t, "export", "seed=0", "--format", "bundle", "-o", lacking, "--store", forged).Exit(t,
				cmdline.ExitDifference)
			if files, _ := os.ReadDir(filepath.Dir(store)); len(files) != 1 {
				t.Errorf("an export that failed left %v", files)
			}
			if !bytes.Equal(before, e2e.ContentOf(t, forged)) {
				t.Error("the bundle was changed")
			}
		})
	}
}

func iterationKey(run schema.Digest, k uint32) []byte {
	return append(run[:], byte(k>>24), byte(k>>16), byte(k>>8), byte(k))
}

func entriesOf(t *testing.T, tx *bbolt.Tx, run schema.Digest, k uint32) (entries []schema.Entry) {
	t.Helper()
	_, value := rowOf(t, tx, "iterations", iterationKey(run, k))
	e2e.Must(t, wire.Unmarshal(value[len(run):], &entries))
	return entries
}

func firstKeyBut(tx *bbolt.Tx, bucket string, not schema.Digest) []byte {
	c := tx.Bucket([]byte(bucket)).Cursor()
	key, _ := c.First()
	if bytes.Equal(key, not[:]) {
		key, _ = c.Next()
	}
	return key
}
