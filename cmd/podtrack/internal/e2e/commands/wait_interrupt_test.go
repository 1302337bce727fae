package commands

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// TestWaitIsInterrupted: a wait can be interrupted while its run continues.
func TestWaitIsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	store := filepath.Join(t.TempDir(), "podtrack.db")
	work := e2e.Start(t, append([]string{"run", "--store", store}, e2e.LongRun...)...)
	e2e.WaitUntilRunning(t, store)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"podtrack", "status", "--wait", "bits>0", "--store", store}
	p := &e2e.Program{Cmd: &exec.Cmd{Path: self, Args: args}}
	lines, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	said := bufio.NewReader(lines)
	line, err := said.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1 run: 0 complete, 1 running") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, err = said.WriteTo(&p.Said)
	e2e.Must(t, err)
	p.Exit(t, cmdline.ExitInterrupted)
	if why := e2e.CheckMessage(p.Said.String()); why != "" {
		t.Error(why)
	}
	if err := work.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	work.Exit(t, cmdline.ExitInterrupted) // and not before
}
