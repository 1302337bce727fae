package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestKilledKeeping kills runs that do not keep everything, at the boundaries of their transactions. The same command
// then has the result of an undisturbed one.
func TestKilledKeeping(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	pruned := append([]string{"--keep", "factors"}, smallRun...)
	calm := e2e.NewStore(t, pruned...)
	want := shown(t, calm)
	if n, _ := want.Pruned(); n == 0 {
		t.Fatal("nothing was pruned")
	}
	points := []string{"update.open", "update.change", "update.commit"}
	for _, point := range points {
		t.Run("run/"+point, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store.db")
			args := append([]string{"run", "--store", store}, pruned...)
			n := 1
			for ; n < schematest.Size(3, 1000) && killed(t, startFaulty(t, []string{hurried, fmt.Sprintf("PODTRACK_FAULT=%s:%d",
				point, n)},
				args...)); n++ {
				checkPruned(t, store)
				e2e.Start(t, args...).Exit(t, 0)
				checkKept(t, shown(t, store), want)
				_ = os.Remove(store)
			}
			if n < 3 {
				t.Errorf("killed %d times", n-1)
			}
		})
	}
}

// checkPruned compares a store in which records may be pruned with its chains: the records that are there must be
// readable, and those that were computed again must be proved.
func checkPruned(t *testing.T, store string) {
	t.Helper()
	runs := listIfAny(t, store)
	for _, r := range runs {
		if r.Iterations > 0 {
			e2e.Perform(t, "replay", "--store", store, r.ID.String())
		}
	}
}

// checkKept compares what is there of two runs.
func checkKept(t *testing.T, got, want report.Detail) {
	t.Helper()
	if fmt.Sprint(got.Status, got.Head) != fmt.Sprint(want.Status, want.Head) {
		t.Errorf("%s with head %s, want %s with %s", got.Status, got.Head, want.Status, want.Head)
	}
	for k, it := range want.History {
		if fmt.Sprint(got.History[k].Records) != fmt.Sprint(it.Records) {
			t.Errorf("iteration %d: records %v, want %v", k, got.History[k].Records, it.Records)
		}
	}
}

func shown(t *testing.T, store string) (d report.Detail) {
	t.Helper()
	p := e2e.Start(t, "show", "--json", "--store", store, "@1")
	p.Exit(t, 0)
	if err := json.Unmarshal(p.Printed.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}
