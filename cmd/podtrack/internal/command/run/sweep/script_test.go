package sweep

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestScript: a script has at most 40 lines, and whatever its words are they stand quoted in it.
func TestScript(t *testing.T) {
	s := script{file: "my 50% study.sh", dir: "/home/o'brien", program: "/opt/podtrack", store: "all $runs.db",
		sweep: []string{"rooms.toml", "--tag", "a;b", "--seeds=0-9"}, runs: 10, tasks: 2}
	text := s.String()
	if lines := strings.Count(text, "\n"); lines > 40 {
		t.Errorf("%d lines", lines)
	}
	for _, line := range []string{
		"# This script makes 10 runs in 2 tasks, each in a store of its own, and merges these stores:",
		"#   sbatch --dependency=afterany:ARRAY --array=0 'my 50% study.sh' merge   # begins when all tasks have ended",
		"#SBATCH --job-name=podtrack-my-50--study",
		"#SBATCH --array=0-1",
		`#SBATCH --output='/home/o'\''brien/my 50%% study-parts/%A_%a.log'`,
		"#SBATCH --requeue",
		"#SBATCH --signal=B:TERM@120",
		`cd '/home/o'\''brien' || exit`,
		"parts='my 50% study-parts'",
		"podtrack=/opt/podtrack",
		`  "$podtrack" merge "$parts"/*.db --store 'all $runs.db' || exit`,
		`  exec "$podtrack" sweep rooms.toml --tag 'a;b' --seeds=0-9 --store 'all $runs.db' --dry-run`,
		`exec "$podtrack" sweep rooms.toml --tag 'a;b' --seeds=0-9 \`,
		`  --shard "$SLURM_ARRAY_TASK_ID/2" --store "$parts/$SLURM_ARRAY_TASK_ID.db" \`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*script){
		"a line break":     func(s *script) { s.store = "a\nb" },
		"a backslash":      func(s *script) { s.dir = `C:\study` },
		"standard input":   func(s *script) { s.sweep = []string{"--spec", "-"} },
		"built by go run":  func(s *script) { s.program = "/tmp/go-build1/b001/exe/podtrack" },
		"a tab in a value": func(s *script) { s.sweep = []string{"--env", "exec:a\tb"} },
	} {
		bad := s
		change(&bad)
		if err := bad.check(); err == nil || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
