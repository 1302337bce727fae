package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
)

// openTerminal returns both ends of a pseudo-terminal.
func openTerminal(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		schematest.SkipLacking(t, "no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = control.Close() })
	e2e.Must(t, unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	e2e.Must(t, err)
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	e2e.Must(t, err)
	t.Cleanup(func() { _ = terminal.Close() })
	return control, terminal
}

// TestListOnTerminal: on a terminal ls lists the newest thousand runs unless something says which,
// and programs get all of them.
func TestListOnTerminal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store := tracker.New(path, tracker.Options{})
	e2e.Must(t, store.Create(t.Context()))
	e2e.Must(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		for seed := range uint64(1100) {
			spec := pod.PaperSpec()
			spec.Seed = seed
			if _, err := tx.CreateRun(tracker.Claim{Spec: spec}); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, c := range []struct {
		args   string
		listed int
		says   string
	}{{"ls", 1000, "1000 of 1100 runs; --limit lists more"}, {"ls --limit 1050", 1050, "1050 of 1100 runs"},
		{"ls seed=0-1099", 1100, ""}, {"ls --sort seed", 1100, ""}} {
		args := append(strings.Fields(c.args), "--store", path)
		if listed, says := listOnTerminal(t, args); listed != c.listed || !strings.Contains(says, c.says) {
			t.Errorf("%s: %d runs, %q", c.args, listed, says)
		}
	}
	if all := strings.Count(e2e.Perform(t, "ls", "--store", path), "complete"); all != 1100 {
		t.Errorf("%d runs in a pipe", all)
	}
}

// listOnTerminal returns how many runs ls lists on a terminal, and what it says to standard error.
func listOnTerminal(t *testing.T, args []string) (listed int, says string) {
	t.Helper()
	control, terminal := openTerminal(t)
	shown := make(chan []byte)
	go func() {
		out, err := io.ReadAll(control)
		if err != nil && !errors.Is(err, syscall.EIO) { // the other end is closed
			t.Error(err)
		}
		shown <- out
	}()
	p := &e2e.Program{Cmd: exec.Command("podtrack", args...)}
	p.Stdout = terminal
	p.Begin(t)
	e2e.Must(t, terminal.Close())
	p.Exit(t, 0)
	return bytes.Count(<-shown, []byte("complete")), p.Said.String()
}
