package external

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

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
