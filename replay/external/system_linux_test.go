package external

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/schematest"
)

// escapes are shell commands that leave a process behind that is in no group of ours.
var escapes = map[string]string{
	"in a session of its own":              "setsid sh -c 'PIPE; exec sleep 600' &",
	"a daemon":                             "setsid sh -c \"sh -c 'PIPE; exec sleep 600' &\" &",
	"with other variables":                 "setsid env -i PATH=\"$PATH\" sh -c 'PIPE; exec sleep 600' &",
	"one that ignores what it is told":     "setsid sh -c 'trap \"\" TERM HUP INT; PIPE; sleep 600; sleep 600' &",
	"one that starts others all the while": "setsid sh -c 'PIPE; while :; do sleep 600 & sleep 0.01; done' &",
}

// TestEscape: what a program started ends with it, wherever it went; a process beside
// it stays.
func TestEscape(t *testing.T) {
	schematest.NeedsPrograms(t, "sh", "setsid", "sleep", "env", "mkfifo")
	bystander := exec.Command("setsid", "sleep", "600")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	for name, command := range escapes {
		for _, way := range []string{"closed", "failed"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				checkEscape(t, command, way == "failed")
			})
		}
	}
	t.Cleanup(func() {
		if gone(bystander.Process.Pid) {
			t.Error("a process that is not the program's was ended")
		}
	})
}

// checkEscape lets a program start that command. What is left behind writes a line to
// a pipe, and lets go of it when it has ended.
func checkEscape(t *testing.T, command string, fails bool) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	quoted := strings.ReplaceAll(pipe, " ", `\ `)
	command = strings.ReplaceAll(command, "PIPE", "exec 9>"+quoted+" </dev/null >/dev/null 2>&1; echo begun >&9")
	program := Command{
		Words: []string{
			"sh", "-c", command + " read request; echo '" + strings.ReplaceAll(hello, "ID", "1") + "'; read more",
		},
		Timeout: time.Minute,
	}
	p, err := program.startAs(t.Context(), envs.ErrEnvFailed)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	lines := bufio.NewReader(reader)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fails {
		_ = p.fail("", "on purpose")
	} else if _, err := p.close(); err != nil {
		t.Fatal(err)
	}
	must := reader.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := lines.ReadString('\n'); must != nil || err != io.EOF {
		t.Errorf("something is still there: %v, %v", err, must)
	}
}

// TestMarkOfReplaced looks for the mark of a process that executes its program again all the while.
func TestMarkOfReplaced(t *testing.T) {
	schematest.NeedsPrograms(t, "sh")
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte(`exec sh "$0"`), 0o600); err != nil {
		t.Fatal(err)
	}
	const mark = "MARK_OF_TEST=1"
	again := exec.Command("sh", script)
	again.Env = append(os.Environ(), mark)
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Process.Kill(); _ = again.Wait() })
	for i := range 5000 {
		if !hasMark(again.Process.Pid, mark) {
			t.Fatalf("the mark is gone at look %d", i)
		}
	}
}

// starterVariable makes the test's own program start one that outlives everything but
// a kill, print its number, and stay.
const starterVariable = "PODTRACK_TEST_STARTER"

func init() {
	if os.Getenv(starterVariable) == "" {
		return
	}
	p := &process{cmd: exec.Command("sleep", "600"), ended: make(chan struct{})}
	setProcessGroup(p.cmd)
	if err := p.launch(); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(strconv.Itoa(p.cmd.Process.Pid) + "\n")
	select {}
}

// TestKilled kills what started a program: the program goes with it, though it does
// not read its stdin.
func TestKilled(t *testing.T) {
	starter := exec.Command(os.Args[0])
	starter.Env = append(os.Environ(), starterVariable+"=1")
	out, err := starter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = starter.Wait() // says only that it was killed
	for t.Context().Err() == nil && !gone(pid) {
	}
}

// gone reports whether a process has ended; it may wait to be noticed by its new parent.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}
