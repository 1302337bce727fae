package faults

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker/fault"
)

// cancelledCalls are calls that read rows and records of a store: all commands that do, and the parts of them that
// loop over other things. DOC is an audit document, OTHER another store, OUT a file that is not there.
var cancelledCalls = []string{
	"run --bits 5 --steps 50 --iterations 4 --seed 3", "resume seed=0-9 --iterations 4", "ls", "ls seed=3-40 --json",
	"ls --sort distance --columns run,distance,purposes", "status", "status --json",
	"show long", "show long --json", "show long --exploration", "show long --spec",
	"options long", "options long --json", "options long --rejected", "replay long", "replay seed=0-9 --json",
	"diff long seed=1", "diff --group seed=0-9", "diff long seed=1 --exploration", "diff long:30/1+ long:31/1+",
	"compare seed=0-29 seed=30-59", "compare q=1 --by seed", "why long:30/1+", "why long:30/1+ -o OUT.html",
	"check", "check --read-data", "check --json", "check DOC.html", "repair", "repair --pruned long",
	"rm seed=0-30 --yes",
	"ls --columns name,stored,exclusive", "label long --name other --note text",
	"label seed=0-30 --tag new", "fork long:3 --set kappa=0.5",
	"backup OUT.db", "compact", "merge OTHER.db", "export long -o OUT.npz",
	"export seed=0-30 --format csv", "export long --format bundle -o OUT.db", "export long --only exploration -o OUT.npz",
	"import --npz OUT.npz", "evaluate long --task goal=3 --seeds 0 --episodes 2 --iterations 0",
	"plot walk long --format csv", "plot coverage seed=0-30 --format csv",
	"plot purposes seed=0-9 --format csv", "plot option long:30/1+ --format csv",
	"plot measures seed=0-30 --by bits --format csv",
	"sweep --seeds 0-59 --bits 5 --steps 50 --iterations 3", "reproduce table1 --runs 2",
}

// readNothing are the commands that read no store.
var readNothing = []string{"env", "run check", "reproduce", "serve", "completion", "plot"}

// afterCancel is how many rows may be read once the context is done: one by each goroutine that looked at it before.
const afterCancel = 64

// TestCancelled cancels every command that reads a store at some of its rows. It reads none any more, says that it was
// interrupted, and finds no damage by that. It does not run beside other tests, whose rows it would count.
func TestCancelled(t *testing.T) {
	cancelledCalls := append(cancelledCalls,
		missingExamples(slices.Concat(cancelledCalls, readNothing), "long", "seed=1", " --format csv")...)
	made := makeLongStore(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, call := range cancelledCalls {
		t.Run(call, func(t *testing.T) {
			full, all, stderr := executeCancelled(t, made, call, 0)
			if full > cmdline.ExitDifference {
				t.Logf("exit code %d: %s", full, stderr)
			}
			for range schematest.Size(2, 20) {
				at := 1 + r.Int64N(max(1, all))
				code, read, stderr := executeCancelled(t, made, call, at)
				if read > at+afterCancel && !reportsAll(call) {
					t.Errorf("cancelled at row %d of %d, it read %d more", at, all, read-at)
				}
				ended := code == full && (at+afterCancel > all || reportsAll(call))
				if code != cmdline.ExitInterrupted && !ended || strings.Contains(stderr, "damage") {
					t.Errorf("cancelled at row %d of %d: exit code %d\n%s", at, all, code, stderr)
				}
			}
		})
	}
}

// reportsAll reports whether a command that is interrupted still tells what it has done.
func reportsAll(call string) bool {
	verb, _, _ := strings.Cut(call, " ")
	return slices.Contains([]string{"run", "resume", "sweep", "fork", "reproduce"}, verb)
}

// executeCancelled executes a call on a copy of the stores, cancels it at that row, 0 for none, and returns how many it
// read.
func executeCancelled(t *testing.T, made, call string, at int64) (code int, read int64, stderr string) {
	t.Helper()
	dir := t.TempDir()
	e2e.Must(t, os.CopyFS(dir, os.DirFS(made)))
	t.Chdir(dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var rows atomic.Int64
	fault.OnStep(func() {
		if rows.Add(1) == at {
			cancel()
		}
	})
	defer fault.OnStep(nil)
	args := []string{"podtrack"}
	for _, word := range strings.Fields(call) {
		args = append(args, strings.NewReplacer("DOC", "document", "OTHER", "other", "OUT", "out").Replace(word))
	}
	var out, errs bytes.Buffer
	code = command.Execute(ctx, args, &out, &errs)
	return code, rows.Load(), errs.String()
}

// makeLongStore makes a folder with a store of 60 small runs and one of many iterations, another store and a document.
func makeLongStore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"run", "--store", in("podtrack.db"), "--seeds", "0-59", "--bits", "5", "--steps", "50", "--iterations", "3"},
		{"run", "--store", in("podtrack.db"), "--seed", "99", "--bits", "5", "--steps", "50", "--iterations", "40", "--name",
			"long"},
		{"run", "--store", in("other.db"), "--seeds", "50-79", "--bits", "5", "--steps", "50", "--iterations", "3"},
		{"rm", "--yes", "--store", in("podtrack.db"), "seed=58-59"},
		{"why", "--store", in("podtrack.db"), "long:30/1+", "-o", in("document.html")},
	} {
		e2e.Perform(t, args...)
	}
	return dir
}
