//go:build linux

package slurm

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// daemon is one of Slurm's, a child of the test.
type daemon struct {
	*exec.Cmd
	log   string
	ended chan struct{}
}

// startDaemon starts it in the foreground, by a command line that may begin with
// another program which turns into it. It ends with the test's process at the
// latest, however that one ends.
func (c *cluster) startDaemon(t *testing.T, name string, args []string) *daemon {
	t.Helper()
	d := &daemon{Cmd: exec.Command(args[0], args[1:]...), log: filepath.Join(c.dir, name+".log"),
		ended: make(chan struct{})}
	log, err := os.Create(d.log)
	e2e.Must(t, err)
	defer log.Close()
	d.Env, d.Stdout, d.Stderr = c.env(), log, log
	d.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	e2e.Must(t, d.Start())
	go func() {
		_ = d.Wait() // its log says why
		close(d.ended)
	}()
	return d
}

// stop ends the daemon, and waits until it is gone.
func (d *daemon) stop() {
	_ = d.Process.Signal(syscall.SIGTERM) // of no effect where it has ended
	select {
	case <-d.ended:
	case <-time.After(20 * time.Second):
		_ = d.Process.Kill()
		<-d.ended
	}
}

func (d *daemon) alive() bool {
	select {
	case <-d.ended:
		return false
	default:
		return true
	}
}

// tail returns the end of the daemon's log.
func (d *daemon) tail() string {
	const most = 4 << 10 // bytes
	f, err := os.Open(d.log)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	b, _ := io.ReadAll(io.LimitReader(f, most))
	return filepath.Base(d.log) + ":\n" + string(b)
}

// killLeft ends what outlived its job and the daemons, and says how much that was:
// proctrack/linuxproc does not know a process whose parents are gone. Whatever a
// job started has the cluster's configuration in its environment, and no other
// process has.
func (c *cluster) killLeft() (killed int) {
	mark := []byte("SLURM_CONF=" + c.confFile() + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, mark) { // it may have ended
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(file, "/")[2]); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			killed++
		}
	}
	return killed
}
