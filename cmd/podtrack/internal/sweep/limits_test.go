package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	file := func(n int) error {
		path := filepath.Join(dir, "file")
		ok(t, os.WriteFile(path, []byte(strings.Repeat("x", n)), 0o666))
		text, err := ReadFile(path, 100)
		if err == nil && len(text) != n {
			err = fmt.Errorf("%d bytes of %d", len(text), n)
		}
		return err
	}
	tags := func(n int) error {
		p := tinyPlan()
		p.Tags = nil
		for i := range n {
			p.Tags = append(p.Tags, fmt.Sprint("t", i))
		}
		return p.Check(t.Context())
	}
	shards := func(n int) error {
		s, err := ParseShard(fmt.Sprint("1/", n))
		if err == nil && s != (Shard{1, n}) {
			err = fmt.Errorf("shard %s", s)
		}
		return err
	}
	array := func(n int) error {
		_, _, err := SlurmShard(func(name string) string {
			return map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "3",
				"SLURM_ARRAY_TASK_MAX": fmt.Sprint(n + 2), "SLURM_ARRAY_TASK_COUNT": fmt.Sprint(n)}[name]
		})
		return err
	}
	part := func(n int) error {
		if _, is := PartAt(fmt.Sprintf("0-of-%d.AB.1.%064d.db", n, 0)); !is {
			return fmt.Errorf("no part of %d", n)
		}
		return nil
	}
	schematest.Limits{
		{"a file", "more than 100 bytes", file(100), file(101)},
		{"tags", "added to the runs: 100", tags(maxTags), tags(maxTags + 1)},
		{"shards", "there can be 1000000", shards(MaxShards), shards(MaxShards + 1)},
		{"tasks of an array", "a job array of 1000001 tasks", array(MaxShards), array(MaxShards + 1)},
		{"parts", "no part of 1000001", part(MaxShards), part(MaxShards + 1)},
	}.Check(t)
}

// TestPlanFileLimit: a plan file of the largest size is parsed, and a larger one is not.
func TestPlanFileLimit(t *testing.T) {
	text := make([]byte, maxFile+1)
	_, at := parsePlan(text[:maxFile])
	_, beyond := parsePlan(text)
	if !strings.Contains(fmt.Sprint(at), "invalid character '\\x00'") ||
		!strings.Contains(fmt.Sprint(beyond), "more than 268435456 bytes") {
		t.Errorf("at the limit %.200v, one beyond %.200v", at, beyond)
	}
}

// TestFolderLimits: the files of a folder are read whole as long as they may be, and longer ones are not.
func TestFolderLimits(t *testing.T) {
	f := Folder{Path: t.TempDir()}
	for n, want := range map[int]int{maxPath: maxPath, maxPath + 1: 0} {
		ok(t, os.WriteFile(filepath.Join(f.Path, storeName), []byte(strings.Repeat("x", n)), 0o666))
		if got := len(f.Store()); got != want {
			t.Errorf("a path of %d bytes is read as %d", n, got)
		}
	}
	for n, says := range map[int64]string{maxFile: errOtherSweep.Error(), maxFile + 1: "more than 268435456 bytes"} {
		ok(t, os.WriteFile(f.planPath(), nil, 0o666))
		ok(t, os.Truncate(f.planPath(), n))
		if err := f.CheckPlan(tinyPlan()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a plan of %d bytes: %v, want %s", n, err, says)
		}
	}
}

// TestFailuresLimit: all failures are counted, and as many as there may be are listed.
func TestFailuresLimit(t *testing.T) {
	for _, n := range []int{maxFailures - 1, maxFailures, maxFailures + 1} {
		var r Result
		for range n {
			r.add(replay.Job{Spec: tiny()}, replay.Outcome{Err: os.ErrInvalid})
		}
		if r.Failed != n || len(r.Failures) != min(n, maxFailures) {
			t.Errorf("of %d failures %d are counted, %d listed", n, r.Failed, len(r.Failures))
		}
	}
}
