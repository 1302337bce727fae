package external

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/podtrack/podtrack/internal/testenv"
)

// TestLoop checks environments on top of podtrack_loop.py, with observations of each kind: the same is observed with
// and without extensions, and the program follows options as the agent does.
func TestLoop(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	path, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range testenv.Sample([]string{"breakout", "lake", "cart"}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Command{Words: []string{"python3", filepath.Join("testdata", "speed.py"), name}, Timeout: time.Minute,
				Vars: []string{"PYTHONPATH=" + path, "PYTHONDONTWRITEBYTECODE=1"}}
			found, err := c.Check(t.Context(), 3, 400)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range found.Checks {
				if k.Verdict == Failed || k.Name == "extensions" && k.Verdict != OK {
					t.Errorf("%+v", k)
				}
			}
			if !slices.ContainsFunc(found.Checks, func(k CheckResult) bool { return k.Name == "extensions" }) {
				t.Error("extensions were not checked")
			}
		})
	}
}
