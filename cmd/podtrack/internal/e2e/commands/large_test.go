package commands

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestLargeObservations runs the memory of a game, as 1024 bits and as 128 numbers, of which hardly any state
// recurs. 10⁶ steps of it have to fit into 24 GiB, so that a step may take 24 KB beside what any run takes.
func TestLargeObservations(t *testing.T) {
	testenv.SkipUnlessLong(t)
	t.Parallel()
	const most = 150<<20 + 20000*24<<10 // bytes
	dir := t.TempDir()
	ram := filepath.Join(dir, "ram")
	e2e.MustRun(t, "go", "build", "-o", ram, "../../../../../internal/testenv/arcade/ram")
	for _, observe := range []string{"bits", "bytes"} {
		store := filepath.Join(dir, observe+".db")
		e2e.Perform(t, "run", "--store", store, "--env", e2e.Exec(ram)+" "+observe, "--learner", "q-learning", "--sweeps",
			"2",
			"--select", "top=2", "--steps", "20000", "--iterations", "2", "--name", "ram")
		var shown struct {
			Sessions []struct {
				Peak int64 `json:"peak_bytes"`
			} `json:"sessions"`
		}
		out := e2e.Perform(t, "show", "ram", "--store", store, "--json")
		if err := json.Unmarshal([]byte(out), &shown); err != nil {
			t.Fatal(err)
		}
		if len(shown.Sessions) != 1 || shown.Sessions[0].Peak > most {
			t.Errorf("%s: sessions %+v, whose peak may be %d", observe, shown.Sessions, most)
		}
		e2e.Perform(t, "replay", "ram", "--store", store, "--env", e2e.Exec(ram)+" "+observe)
	}
}
