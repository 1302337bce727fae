package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
)

// TestWatchIsInterrupted while a run that it shows goes on.
func TestWatchIsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	store := filepath.Join(t.TempDir(), "podtrack.db")
	work := start(t, append([]string{"run", "--store", store}, longRun...)...)
	waitUntilRunning(t, store)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: &exec.Cmd{Path: self, Args: []string{"podtrack", "ls", "--watch", "--store", store}}}
	p.Stderr = &p.stderr
	lines, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	line, err := bufio.NewReader(lines).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1 run: 0 complete, 1 running") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.exit(t, cmdline.ExitInterrupted)
	if why := badWords(p.stderr.String()); why != "" {
		t.Error(why)
	}
	if err := work.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	work.exit(t, cmdline.ExitInterrupted) // and not before
}
