package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"go.etcd.io/bbolt"
)

// given is a run that began with data recorded elsewhere.
type given struct {
	imports []string // the arguments that make it, but for the store
	store   []byte
	whole   chains
	heads   map[string]string
	id      schema.Digest
}

// eachGiven has a test look at a run of either form of data.
func eachGiven(t *testing.T, test func(*testing.T, given)) {
	t.Helper()
	dir := t.TempDir()
	base, npz := filepath.Join(dir, "base.db"), filepath.Join(dir, "base.npz")
	e2e.Perform(t, "run", "--bits", "5", "--steps", "200", "--iterations", "1", "--name", "base", "--store", base)
	e2e.Perform(t, "export", "base", "-o", npz, "--store", base)
	for name, flags := range map[string][]string{
		"transitions": {"--bits", "5", "--iterations", "3"},
		"rows":        {"--as", "delta"},
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "store.db")
			g := given{imports: append([]string{"import", "--npz", npz, "--prefix", "0/"}, flags...)}
			e2e.Perform(t, append(g.imports, "--store", store)...)
			g.store, g.whole, g.heads, g.id = e2e.ContentOf(t, store), chainsIn(t, store), e2e.Heads(e2e.List(t, store)),
				e2e.List(t, store)[0].ID
			test(t, g)
		})
	}
}

// put writes a store with the run.
func (g given) put(t *testing.T) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "store.db")
	e2e.Must(t, os.WriteFile(store, g.store, 0o600))
	return store
}

// TestGivenDamage damages, or removes, the records of each kind of each iteration. A repair restores all but imported
// data: it says that these cannot be computed again, and how to make the run anew.
func TestGivenDamage(t *testing.T) {
	t.Parallel()
	eachGiven(t, func(t *testing.T, g given) {
		spoiled := 0
		for _, kind := range schema.Kinds {
			for k := range len(g.whole[g.id].Links) {
				for _, gone := range []bool{false, true} {
					if !schematest.Long() && (gone != (k%2 == 0) || k == 1) {
						continue // one of both, of the first and the last iteration
					}
					t.Run(fmt.Sprintf("%s of iteration %d, gone is %v", kind, k, gone), func(t *testing.T) {
						store := g.put(t)
						n := spoilKind(t, store, g.id, k, kind, gone)
						if n == 0 {
							return // there are none of this kind
						}
						spoiled += n
						answer(t, []string{"check", "--read-data", "--store", store}, cmdline.ExitDifference)
						if k == 0 && (kind == schema.KindTransitions || kind == schema.KindRows) {
							g.madeAgain(t, store)
						} else {
							healed(t, store, e2e.ContentOf(t, store), g.heads)
						}
						stands(t, "the run", store, g.whole)
						e2e.Perform(t, "replay", g.id.String(), "--store", store)
					})
				}
			}
		}
		if spoiled == 0 {
			t.Error("nothing was damaged")
		}
	})
}

// madeAgain repairs a store that lacks imported data, and then follows the remedy.
func (g given) madeAgain(t *testing.T, store string) {
	t.Helper()
	damaged := e2e.ContentOf(t, store)
	p := answer(t, []string{"repair", "--store", store}, cmdline.ExitDifference)
	for _, want := range []string{"imported data cannot be recomputed",
		"nothing could be restored, and the store is as it was"} {
		if !strings.Contains(p.Printed.String(), want) {
			t.Errorf("repair does not say %q:\n%s", want, p.Printed.String())
		}
	}
	if want := fmt.Sprintf("podtrack rm --yes %.12s, and then podtrack import",
		g.id); !strings.Contains(p.Said.String(), want) {
		t.Errorf("repair does not say %q:\n%s", want, p.Said.String())
	}
	if files := filesIn(t, filepath.Dir(store)); len(files) != 1 || !bytes.Equal(e2e.ContentOf(t, store), damaged) {
		t.Errorf("repair left %v, and the store changed or not", files)
	}
	e2e.Perform(t, "rm", "--yes", g.id.String()[:12], "--store", store)
	e2e.Perform(t, append(g.imports, "--store", store)...)
	answer(t, []string{"check", "--read-data", "--store", store}, cmdline.ExitDone)
}

// TestGivenPruned drops records of each kind. What was recorded elsewhere is not
// dropped; so all of the rest comes back, unless that is damaged.
func TestGivenPruned(t *testing.T) {
	t.Parallel()
	eachGiven(t, func(t *testing.T, g given) {
		for _, keep := range []string{"none", "transitions", "factors", "values", "options"} {
			store := g.put(t)
			pruneTo(t, store, keep)
			e2e.Perform(t, "check", "--read-data", "--store", store)
			e2e.Perform(t, "replay", g.id.String(), "--store", store)
			e2e.Perform(t, "repair", "--pruned", "--store", store)
			stands(t, "--keep "+keep, store, g.whole)
		}
		store := g.put(t)
		pruneTo(t, store, "none")
		if spoilKind(t, store, g.id, 0, schema.KindTransitions, true)+spoilKind(t, store, g.id, 0, schema.KindRows,
			true) == 0 {
			t.Fatal("the data were dropped")
		}
		p := answer(t, []string{"repair", "--pruned", "--store", store}, cmdline.ExitDifference)
		if want := "iteration 0, factors "; !strings.Contains(p.Printed.String(), want) ||
			!strings.Contains(p.Said.String(), "podtrack check --read-data") {
			t.Errorf("repair does not say that it lacks %s:\n%s%s", want, p.Printed.String(), p.Said.String())
		}
	})
}

// spoilKind damages all records of a kind in an iteration, and says how many.
func spoilKind(t *testing.T, store string, run schema.Digest, k int, kind schema.Kind, gone bool) (n int) {
	t.Helper()
	changeStore(t, store, func(tx *bbolt.Tx) error {
		records := tx.Bucket([]byte("records"))
		for _, e := range entriesOf(t, tx, run, uint32(k)) {
			seq := tx.Bucket([]byte("digests")).Get(e.Name[:])
			if e.Kind != kind || len(seq) != 8 {
				continue
			}
			n++
			if gone {
				e2e.Must(t, records.Delete(bytes.Clone(seq)))
				continue
			}
			row := bytes.Clone(records.Get(seq))
			row[len(row)-1] ^= 1
			e2e.Must(t, records.Put(bytes.Clone(seq), row))
		}
		return nil
	})
	if gone { // a repair finds records on free pages, too
		e2e.Must(t, os.Rename(inPages(t, store, 4<<10), store))
	}
	return n
}
