package slurm

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the scripts in testdata anew")

// TestScripts compares the scripts with those in testdata.
func TestScripts(t *testing.T) {
	s := Scripts{
		Name: "podtrack-κ study\n#SBATCH --account=x", Tasks: 12,
		Worker: `/opt/podtrack sweep --folder '/shared/my study' --store /shared/study.db ` +
			`--shard "$SLURM_ARRAY_TASK_ID/12" --parallel "${SLURM_CPUS_PER_TASK:-1}"`,
		Gather: "/opt/podtrack sweep --folder '/shared/my study' --store /shared/study.db --gather",
	}
	for name, text := range map[string]string{"task.sh": s.TaskScript(), "gather.sh": s.GatherScript()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != text {
			t.Errorf("%s (%v) is now\n%s", name, err, text)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "exec ") {
			t.Errorf("%s ends with %q: a signal would not come to the program", name, last)
		}
	}
}

func TestJobName(t *testing.T) {
	for name, want := range map[string]string{
		"podtrack-study_1.2": "podtrack-study_1.2", "a b\tc\nd": "a-b-c-d", "κ=½": "---",
		"": "", "$(rm)`;'\"\\": "--rm------", "a/b%j": "a-b-j",
	} {
		if got := jobName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := jobName(rapid.String().Draw(t, "name"))
		if strings.Trim(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.") != "" {
			t.Fatalf("%q", name)
		}
	})
}

// TestIndices: what --array is given stands for those tasks, and is short.
func TestIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := rapid.SliceOfDistinct(rapid.IntRange(0, 60), rapid.ID).Draw(t, "tasks")
		slices.Sort(tasks)
		text := FormatIndices(tasks)
		var back []int
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
			low, high, isRange := strings.Cut(part, "-")
			if !isRange {
				high = low
			}
			a, err1 := strconv.Atoi(low)
			b, err2 := strconv.Atoi(high)
			if err1 != nil || err2 != nil || a > b || len(back) > 0 && a <= back[len(back)-1]+1 {
				t.Fatalf("%v are %s", tasks, text)
			}
			for ; a <= b; a++ {
				back = append(back, a)
			}
		}
		if !slices.Equal(back, tasks) {
			t.Fatalf("%v are %s, which are %v", tasks, text, back)
		}
	})
}

// TestAlone: of two processes that submit at once only one does, and a stale lock blocks none.
func TestAlone(t *testing.T) {
	dir, done := t.TempDir(), 0
	submit := func() error { done++; return nil }
	err := WithSubmitLock(dir, func() error {
		if err := WithSubmitLock(dir, submit); !errors.Is(err, errSubmitting) {
			t.Errorf("the second: %v", err)
		}
		return submit()
	})
	if err != nil || done != 1 {
		t.Fatal(done, err)
	}
	failure := errors.New("refused")
	if err := WithSubmitLock(dir, func() error { return failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	note := filepath.Join(dir, "submitting")
	old := time.Now().Add(-2 * staleAfter)
	for text, busy := range map[string]bool{"process 42 on node\n": false, "": true, "my notes on submitting\n": true,
		"process 42 on node\nand more\n": true, "process 42 on " + strings.Repeat("n", maxLockBytes-15) + "\n": false,
		"process 42 on " + strings.Repeat("n", maxLockBytes-14) + "\n": true} {
		if err := errors.Join(os.WriteFile(note, []byte(text), 0o666), os.Chtimes(note, old, old)); err != nil {
			t.Fatal(err)
		}
		if err := WithSubmitLock(dir, submit); errors.Is(err, errSubmitting) != busy {
			t.Errorf("beside %.60q: %v", text, err)
		}
		if there, err := os.ReadFile(note); busy && (err != nil || string(there) != text) {
			t.Errorf("%q is now %q, %v", text, there, err)
		}
		_ = os.Remove(note)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
