//go:build linux

package slurm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// cluster is a real Slurm with one node of four CPUs, which belongs to a test: its
// daemons are children of the test, talk on loopback only, and keep everything in
// a folder of their own.
type cluster struct {
	dir     string
	daemons []*daemon // the controller's, then the node's
}

// startSlurm starts a cluster and ends it with the test, with all of its jobs. It
// is ready when this returns.
func startSlurm(t *testing.T) *cluster {
	t.Helper()
	for _, name := range []string{"slurmctld", "slurmd", "sbatch"} {
		schematest.NeedsPrograms(t, name)
	}
	prefix := onLoopback(t)
	for range 5 { // another process can be faster at taking a port
		c := newCluster(t, prefix)
		if c.ready(t) {
			return c
		}
		t.Log(c.logs())
	}
	t.Fatal("Slurm does not start")
	return nil
}

func newCluster(t *testing.T, prefix []string) *cluster {
	t.Helper()
	// t.TempDir has the test's name in it: too long for the node's sockets.
	dir, err := os.MkdirTemp("", "slurm-")
	e2e.Must(t, err)
	c := &cluster{dir: dir}
	t.Cleanup(func() { c.end(t) })
	e2e.Must(t, os.WriteFile(c.confFile(), []byte(c.conf(t)), 0o600))
	for _, args := range [][]string{{"slurmctld", "-D", "-c"}, {"slurmd", "-D", "-N", c.node()}} {
		c.daemons = append(c.daemons, c.startDaemon(t, args[0], append(slices.Clip(prefix), args...)))
	}
	return c
}

// node returns the name of the node, which no other cluster's has.
func (c *cluster) node() string { return filepath.Base(c.dir) }

// ready waits until the node takes jobs, or a daemon has ended.
func (c *cluster) ready(t *testing.T) bool {
	t.Helper()
	if err := c.poll(t.Context(), func() bool {
		out, _ := c.run(t.Context(), "sinfo", "--noheader", "--format=%N %T") // there may be no controller yet
		return out == c.node()+" idle" || !c.alive()
	}); err != nil {
		t.Fatalf("Slurm's node is never ready: %v\n%s", err, c.logs())
	}
	return c.alive()
}

func (c *cluster) alive() bool {
	return !slices.ContainsFunc(c.daemons, func(d *daemon) bool { return !d.alive() })
}

// end cancels the jobs and ends the daemons. The test's own context is over then.
func (c *cluster) end(t *testing.T) {
	ctx := context.Background()
	if c.alive() {
		_, _ = c.run(ctx, "scancel", "--user="+fmt.Sprint(os.Getuid()))
		_ = c.poll(ctx, func() bool {
			left, err := c.run(ctx, "squeue", "--noheader")
			return left == "" || err != nil
		})
	}
	if t.Failed() {
		t.Log(c.logs())
	}
	for _, d := range slices.Backward(c.daemons) {
		d.stop()
	}
	_ = c.poll(ctx, func() bool { return c.killLeft() == 0 })
	if err := os.RemoveAll(c.dir); err != nil {
		t.Error(err)
	}
}

func (c *cluster) logs() string {
	var text strings.Builder
	for _, d := range c.daemons {
		text.WriteString(d.tail() + "\n")
	}
	return text.String()
}
