package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker/pages"
)

// TestTornCopies copies a store, part by part, while runs are made in it. A copy opens, or is named as a damaged store
// and repaired: every run is there whose row its leaves hold, unless its tree is that of an older commit, and a second
// repair, which reads every record, finds nothing to do.
func TestTornCopies(t *testing.T) {
	t.Parallel()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(61, 0))
	store := filepath.Join(dir, "store.db")
	sweep := []string{"sweep", "--store", store, "--bits", "4", "--steps", "20", "--iterations", "2", "--seeds"}
	e2e.Perform(t, append(sweep, "0-9")...)
	writer := e2e.Start(t, append(sweep, "10-400")...)
	var copies []string
	for range schematest.Size(8, 40) {
		copies = append(copies, filepath.Join(dir, fmt.Sprint("copy", len(copies), ".db")))
		tear(t, store, copies[len(copies)-1], random)
	}
	writer.Exit(t, 0)
	rows := map[string][]byte{} // by run
	db, err := bbolt.Open(store, 0o600, &bbolt.Options{ReadOnly: true})
	e2e.Must(t, errors.Join(err, db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("runs")).ForEach(func(key, value []byte) error {
			rows[schema.Digest(key).String()] = bytes.Clone(value)
			return nil
		})
	}), db.Close()))
	for _, path := range copies {
		before := bytes.NewReader(e2e.ContentOf(t, path))
		if code, _, _ := e2e.Podtrack("check", "--read-data", "--store", path); code == 0 {
			continue
		}
		command := commandsOn(t, path)
		_, stdout, _ := e2e.Podtrack("repair", "--store", path) // 1 if something is not in the file
		torn, listed := strings.Contains(stdout, "file: "), command(0, "ls", "--json")
		e2e.Must(t, pages.Scan(before, before.Size(), 16384, func(e pages.Element) error {
			run := fmt.Sprintf("%x", e.Key)
			v, err := e.Value.Bytes()
			if held := err == nil && len(v) > 0 && bytes.Equal(v, rows[run]); torn && held && !strings.Contains(listed, run) {
				t.Errorf("%s: run %s is lost:\n%s", path, run, stdout)
			}
			return nil
		}))
		if out := command(0, "repair"); !strings.Contains(out, "nothing to repair") {
			t.Errorf("a second repair: %s", out)
		}
	}
}

// tear copies a file in parts of whole pages, with pauses between them: meta pages first.
func tear(t *testing.T, from, to string, random *rand.Rand) {
	t.Helper()
	in, err := os.Open(from)
	e2e.Must(t, err)
	defer in.Close()
	out, err := os.Create(to)
	e2e.Must(t, err)
	for err == nil {
		_, err = io.CopyN(out, in, 16384*(1+random.Int64N(30)))
		time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	e2e.Must(t, out.Close())
}
