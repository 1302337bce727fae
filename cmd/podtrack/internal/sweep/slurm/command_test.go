package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// fake puts commands on PATH, and nothing else: each is a shell script, whose
// arguments are noted in the file that is returned.
func fake(t *testing.T, scripts map[string]string) (said string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts")
	}
	dir := t.TempDir()
	said = filepath.Join(dir, "said")
	for name, script := range scripts {
		text := fmt.Sprintf("#!/bin/sh\nfor a in \"$@\"; do printf '%%s\\n' \"$a\"; done >> '%s'\n%s\n", said, script)
		schematest.WriteProgram(t, filepath.Join(dir, name), []byte(text))
	}
	t.Setenv("PATH", dir)
	return said
}

func saidTo(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestSubmit: the texts are those of sbatch 22.05.
func TestSubmit(t *testing.T) {
	refusal := "sbatch: error: invalid partition specified: nosuch\nsbatch: error: Batch job submission failed: " +
		"Invalid partition name specified"
	for name, c := range map[string]struct {
		script string
		id     string // "" for an error
		says   []string
	}{
		"an ID":          {"echo 123", "123", nil},
		"of a cluster":   {"echo '123;north'", "123", nil},
		"with a warning": {"echo 'sbatch: warning: mind this' >&2; echo 123", "123", nil},
		"refused": {
			"echo '" + refusal + "' >&2; exit 1", "",
			[]string{"invalid partition specified: nosuch", "exit status 1", "refused"},
		},
		"an unknown flag": {
			"echo \"sbatch: unrecognized option '--nosuch'\" >&2; exit 255", "",
			[]string{"unrecognized option '--nosuch'"},
		},
		"refused silently": {"exit 1", "", []string{"exit status 1"}},
		"nothing":          {"true", "", []string{"no job ID"}},
		"a blank line":     {"echo", "", []string{"no job ID"}},
		"words":            {"echo Submitted batch job 123", "", []string{"no job ID", "Submitted batch job"}},
		"no number":        {"echo -1", "", []string{"no job ID"}},
		"two lines":        {"echo 1; echo 2", "", []string{"no job ID"}},
		"very much": {
			"while [ ${n:-0} -lt 9999 ]; do n=$((${n:-0}+1)); echo 'sbatch: error: no' >&2; done; exit 1", "",
			[]string{"sbatch: error: no"},
		},
		"killed": {"kill -9 $$", "", []string{"killed"}},
	} {
		t.Run(name, func(t *testing.T) {
			said := fake(t, map[string]string{"sbatch": c.script})
			id, err := Submit(t.Context(), []string{"--array=0-3", "--comment=two words"}, "#!/bin/sh\n")
			if id != c.id || (c.id == "") != errors.Is(err, ErrRefused) {
				t.Errorf("%q, %v", id, err)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v does not say %q", err, part)
				}
			}
			if err != nil && (schema.Remedy(err) == "" || len(err.Error()) > 1000) {
				t.Errorf("no remedy, or too much: %v", err)
			}
			if got := saidTo(t, said); !slices.Equal(got,
				[]string{"--parsable", "--array=0-3", "--comment=two words"}) {
				t.Errorf("sbatch %q", got)
			}
		})
	}
}

func TestNoSlurm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, errSubmit := Submit(t.Context(), nil, "#!/bin/sh\n")
	_, errQueue := ListTasks(t.Context(), []string{"1"})
	_, errAgain := RequeueIfRunning(t.Context(), "1", "0")
	for _, err := range []error{errSubmit, errQueue, errAgain} {
		if !errors.Is(err, ErrNoSlurm) || !strings.Contains(schema.Remedy(err), "submit where there is a Slurm") {
			t.Errorf("%v; %s", err, schema.Remedy(err))
		}
	}
}

// TestHanging: a command that does not end ends with the context, and its children
// delay nothing.
func TestHanging(t *testing.T) {
	sleep := "/bin/sleep"
	if _, err := os.Stat(sleep); err != nil {
		t.Skip(err)
	}
	pid := filepath.Join(t.TempDir(), "pid") // of what is left behind
	fake(t, map[string]string{"sbatch": sleep + " 600 & echo $! > '" + pid + "'; wait"})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan int, 1)
	go func() {
		defer close(left)
		defer cancel()
		for ctx.Err() == nil {
			text, _ := os.ReadFile(pid) // it may not be there yet
			if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				left <- n
				return
			}
		}
	}()
	if _, err := Submit(ctx, nil, "#!/bin/sh\n"); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	cancel()
	for n := range left {
		if p, err := os.FindProcess(n); err != nil || p.Kill() != nil {
			t.Errorf("process %d was not left behind: %v", n, err)
		}
	}
}

// TestQueue: the lines are those of squeue 22.05 -r.
func TestQueue(t *testing.T) {
	lines := strings.Join([]string{
		"7|0|RUNNING|None", "7|1|COMPLETING|None", "7|2|PENDING|JobArrayTaskLimit",
		"7|3|PENDING|launch failed | requeued held",
		"8|N/A|PENDING|Dependency", "9|0|RUNNING|None", "", "no line", "7|4|RUNNING", "7|x|SUSPENDED|None",
	}, "\n")
	said := fake(t, map[string]string{"squeue": "echo '" + lines + "'"})
	tasks, err := ListTasks(t.Context(), []string{"7", "8"})
	want := []Task{
		{"7", 0, "RUNNING", "None"}, {"7", 1, "COMPLETING", "None"}, {"7", 2, "PENDING", "JobArrayTaskLimit"},
		{"7", 3, "PENDING", "launch failed | requeued held"}, {"8", -1, "PENDING", "Dependency"},
		{"7", -1, "SUSPENDED", "None"},
	}
	if err != nil || !slices.Equal(tasks, want) {
		t.Errorf("%v, %v", tasks, err)
	}
	for i, running := range []bool{true, true, false, false, false, false} {
		if tasks[i].Running() != running {
			t.Errorf("%+v is running: %v", tasks[i], !running)
		}
	}
	if got := saidTo(t, said); !slices.Equal(got[len(got)-2:], []string{"-j", "7,8"}) {
		t.Errorf("squeue %q", got)
	}
	if tasks, err := ListTasks(t.Context(), nil); err != nil || len(tasks) > 0 || len(saidTo(t, said)) != 6 {
		t.Error("squeue is asked about no job", tasks, err)
	}
}

func TestQueueFails(t *testing.T) {
	fake(t, map[string]string{"squeue": "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"})
	if tasks, err := ListTasks(t.Context(), []string{"7"}); err != nil || len(tasks) > 0 {
		t.Error("a job that is forgotten:", tasks, err)
	}
	fake(t, map[string]string{
		"squeue": "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1",
	})
	if _, err := ListTasks(t.Context(), []string{"7"}); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), "Unable to contact") || schema.Remedy(err) == "" {
		t.Errorf("%v; %s", err, schema.Remedy(err))
	}
	fake(t, map[string]string{"squeue": "true"})
	if tasks, err := ListTasks(t.Context(), []string{"7"}); err != nil || len(tasks) > 0 {
		t.Error(tasks, err)
	}
}

func TestRequeueIfRunning(t *testing.T) {
	for name, c := range map[string]struct {
		queue, requeue string
		again, fails   bool
		asked          bool // scontrol
	}{
		"running":          {"echo '7|1|RUNNING|None'", "true", true, false, true},
		"cancelled":        {"echo '7|1|COMPLETING|None'", "true", false, false, false},
		"requeued already": {"echo '7|1|PENDING|BeginTime'", "true", false, false, false},
		"gone":             {"echo '7|0|RUNNING|None'", "true", false, false, false},
		"refused": {
			"echo '7|1|RUNNING|None'", "echo 'Requested operation is presently disabled' >&2; exit 1", false, true,
			true,
		},
		"nobody to be asked": {"exit 1", "true", false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			mark := filepath.Join(t.TempDir(), "asked")
			said := fake(t, map[string]string{"squeue": c.queue, "scontrol": "echo > '" + mark + "'; " + c.requeue})
			again, err := RequeueIfRunning(t.Context(), "7", "1")
			if again != c.again || (err != nil) != c.fails {
				t.Errorf("%v, %v", again, err)
			}
			if _, e := os.Stat(mark); (e == nil) != c.asked {
				t.Errorf("scontrol was asked: %v", e == nil)
			}
			if got := saidTo(t, said); c.asked && !slices.Equal(got[len(got)-2:], []string{"requeue", "7_1"}) {
				t.Errorf("scontrol %q", got)
			}
		})
	}
}

func FuzzQueue(f *testing.F) {
	for _, out := range []string{"7|0|RUNNING|None\n", "7|N/A|PENDING|x|y\n", "7|99999999999999999999|R|", "||||",
		"\r\n7|-1|R|None", "7|1|R\x00|None\n\n"} {
		f.Add(out)
	}
	f.Fuzz(func(t *testing.T, out string) {
		for _, task := range readTasks(out, []string{"7"}) {
			if task.Job != "7" || task.Index < -1 {
				t.Errorf("%+v", task)
			}
			line := fmt.Sprintf("7|%d|%s|%s", task.Index, task.State, task.Reason)
			if again := readTasks(line, []string{"7"}); len(again) != 1 || again[0].Index != task.Index {
				t.Errorf("%q reads as %v", line, again)
			}
		}
	})
}
