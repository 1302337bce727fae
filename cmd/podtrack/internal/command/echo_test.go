package command

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
)

// TestLongInput: errors repeat only a part of very long input, whatever argument it is.
func TestLongInput(t *testing.T) {
	store := filepath.Join(t.TempDir(), "podtrack.db")
	t.Setenv("PODTRACK_STORE", store)
	execute := func(args ...string) (code int, stderr string) {
		var errs bytes.Buffer
		code = Execute(t.Context(), append([]string{"podtrack"}, args...), io.Discard, &errs)
		return code, errs.String()
	}
	if code, stderr := execute("run", "--bits", "5", "--steps", "20", "--iterations", "1", "--name", "s0"); code != 0 {
		t.Fatal(stderr)
	}
	word, blanks := strings.Repeat("x", 5000), strings.Repeat("x y ", 1250)
	for _, line := range []string{
		"LONG", "help LONG", "show LONG", "show s0:LONG", "show s0:#LONG", "show s0:0/LONG", "show @LONG", "why LONG",
		"why s0:LONG", "diff s0 LONG", "diff s0:0 s0:LONG", "fork s0:LONG", "replay LONG:0", "ls LONG", "ls seed=LONG",
		"ls LONG=0", "ls name=LONG --columns LONG", "ls --sort LONG", "ls --format LONG", "label s0 --name LONG",
		"label s0 --tag LONG",
		"run --name LONG", "run --env LONG", "run --env grid:LONG", "run --kappa LONG", "run --learner LONG",
		"run --select LONG", "run --seed LONG", "run --LONG", "run --spec LONG", "run --expect LONG",
		"run --iterations LONG", "sweep LONG", "sweep --seeds LONG", "export s0 --only LONG -o x.npz", "import --npz LONG",
		"export s0 --iterations LONG -o x.npz", "plot LONG", "check LONG",
		"plot option s0:#LONG -o x.svg", "evaluate s0 --task LONG", "compare LONG s0", "merge LONG",
		"show --group s0 --measure LONG", "options s0 --iteration LONG", "fork s0:0 --set LONG=1", "fork s0:0 --set LONG",
		"backup LONG/x.db", "env LONG", "status LONG", "ls --store LONG", "run check LONG",
		"replay s0 --sample LONG",
	} {
		for _, long := range []string{word, blanks} {
			var args []string
			for _, arg := range strings.Fields(line) {
				args = append(args, strings.ReplaceAll(arg, "LONG", long))
			}
			code, stderr := execute(args...)
			what, remedy, _ := strings.Cut(stderr, "\n")
			if code == cmdline.ExitDone || len(what) > 1200 || len(remedy) > 2200 ||
				long == word && !strings.Contains(stderr, "…") {
				t.Errorf("%s: code %d, %d and %d bytes: %.300s", line, code, len(what), len(remedy), stderr)
			}
		}
	}
}
