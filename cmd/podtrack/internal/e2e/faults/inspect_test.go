package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// afterDeath returns the state of a store that no process works on, after both the program and this test
// have found it sound. It is nil where there is no run.
func afterDeath(t *testing.T, store string) *storedRun {
	t.Helper()
	listed := listIfAny(t, store)
	if _, err := os.Stat(store); err != nil {
		return nil
	}
	runs := inspect(t, store)
	if len(listed) != len(runs) || len(runs) > 1 {
		t.Fatalf("%d runs listed, %d there", len(listed), len(runs))
	}
	if len(runs) == 0 {
		return nil
	}
	s := runs[0]
	if listed[0].Status != s.status || s.status != tracker.Interrupted && s.status != tracker.Complete {
		t.Errorf("the run is %s, listed as %s", s.status, listed[0].Status)
	}
	return &s
}

// storedRun holds what a store has of a run.
type storedRun struct {
	status tracker.Status
	head   schema.Digest // zero for none
	recorded
}

// recorded is how much is on the disk of a run.
type recorded struct {
	iterations int
	checkpoint bool
	steps      int // of the iteration under way, by its checkpoint
	factored   bool
	options    int // of the iteration under way, by its checkpoint
}

func (r recorded) behind(q recorded) bool {
	return slices.Compare(r.numbers(), q.numbers()) < 0
}

func (r recorded) numbers() []int {
	return []int{r.iterations, r.steps, boolToInt(r.factored), r.options}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inspect reads everything in a store that no process works on, and compares it with FORMAT.md.
func inspect(t *testing.T, path string) []storedRun {
	t.Helper()
	var runs []storedRun
	named := map[schema.Digest]bool{}
	err := tracker.New(path, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			if err != nil {
				return err
			}
			s, err := readStoredRun(tx, r.ID, named)
			if err != nil {
				return fmt.Errorf("run %s: %w", r.ID, err)
			}
			runs = append(runs, s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	checkPages(t, path, named)
	return runs
}

// stand verifies every row and record of a run.
func readStoredRun(tx *tracker.Tx, id schema.Digest, named map[schema.Digest]bool) (s storedRun, err error) {
	iterations, err := tx.ReadIterations(id)
	if err != nil {
		return s, err
	}
	for _, it := range iterations {
		if err := readRecords(tx, it.Records, named); err != nil {
			return s, err
		}
		s.head = it.Link
	}
	c, err := tx.ReadCheckpoint(id)
	if err != nil {
		return s, err
	}
	if c != nil {
		if err := readRecords(tx, c.Records, named); err != nil {
			return s, err
		}
		if s.recorded, err = recordedBy(tx, c); err != nil {
			return s, err
		}
	}
	s.iterations = len(iterations)
	a, err := tx.ReadAnnotation(id)
	if err != nil {
		return s, err
	}
	s.status, err = tx.DeriveStatus(id, a, s.iterations)
	return s, err
}

func readRecords(tx *tracker.Tx, entries []schema.Entry, named map[schema.Digest]bool) error {
	for _, e := range entries {
		named[e.Name] = true
		if _, err := tx.ReadRecord(e.Name); err != nil {
			return err
		}
	}
	return nil
}

// recordedBy returns what a checkpoint has of its iteration.
func recordedBy(tx *tracker.Tx, c *tracker.Checkpoint) (p recorded, err error) {
	var state map[string]any
	if err := wire.Unmarshal(c.State, &state); err != nil {
		return p, err
	}
	p.checkpoint = true
	partial, _ := state["partial"].([]byte)
	chunk, err := schema.DecodeTransitions(partial)
	if err != nil {
		return p, err
	}
	p.steps = len(chunk.Actions)
	for _, e := range c.Records {
		switch e.Kind {
		case schema.KindTransitions:
			chunk, err := tracker.Load(tx, e.Name, schema.DecodeTransitions)
			if err != nil {
				return p, err
			}
			p.steps += len(chunk.Actions)
		case schema.KindFactors:
			p.factored = true
		case schema.KindOption:
			p.options++
		}
	}
	return p, nil
}

// checkPages lets bbolt look at every page, and finds no record that nothing
// names: runs that are resumed come to the very records that their checkpoints
// named.
func checkPages(t *testing.T, path string, named map[schema.Digest]bool) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("%s: %v", path, err)
		}
		for _, bucket := range []string{"digests", "records"} {
			if n := tx.Bucket([]byte(bucket)).Stats().KeyN; n != len(named) {
				t.Errorf("%s: %d in bucket %s, %d records are named", path, n, bucket, len(named))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listIfAny lists a store that may not be there yet.
func listIfAny(t *testing.T, store string) []report.Run {
	t.Helper()
	code, stdout, stderr := e2e.Podtrack("ls", "--json", "--store", store)
	if code == cmdline.ExitNoStore {
		return nil
	}
	if code != cmdline.ExitDone {
		t.Fatalf("ls: exit code %d\n%s", code, stderr)
	}
	var runs []report.Run
	e2e.Must(t, json.Unmarshal([]byte(stdout), &runs))
	return runs
}

// raceDetected reports whether this test was built with the race detector.
func raceDetected() bool {
	b, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(b.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
