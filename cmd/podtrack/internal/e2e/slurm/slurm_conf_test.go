//go:build linux

package slurm

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// slurmConf makes a whole cluster of one node, run by one user who need not be
// root, in a container without systemd, cgroups, munge or a name that resolves.
//   - "localhost" is taken for this host whatever its name is, and NoInAddrAny
//     has the daemons listen only where the host's name leads (see onLoopback).
//   - The node offers the CPUs that it says it has (config_overrides), so that
//     the tasks of an array run together on any machine.
//   - A requeued job waits for cred_expire and a second more; 5 s is the least
//     that is allowed.
//   - An ended job is remembered (MinJobAge) for as long as a test lasts.
//   - Commands give up a daemon that is gone after MessageTimeout less a second.
//
// Whoever reaches the ports can run commands as the user: nothing is authenticated.
const slurmConf = `ClusterName=podtrack
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=%[1]s
SlurmdUser=%[1]s
SlurmctldPort=%[2]d
SlurmdPort=%[3]d
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
StateSaveLocation="%[4]s"
SlurmdSpoolDir="%[4]s"
SlurmctldPidFile="%[4]s/slurmctld.pid"
SlurmdPidFile="%[4]s/slurmd.pid"
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
OverTimeLimit=0
MinJobAge=3600
MessageTimeout=10
NodeName=%[5]s NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// conf returns the configuration of the cluster with two ports that were free just now.
func (c *cluster) conf(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	e2e.Must(t, err)
	controller, node := freePorts(t)
	return fmt.Sprintf(slurmConf, u.Username, controller, node, c.dir, c.node())
}

func (c *cluster) confFile() string { return filepath.Join(c.dir, "slurm.conf") }

func freePorts(t *testing.T) (a, b int) {
	t.Helper()
	var ports [2]int
	for i := range ports {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		e2e.Must(t, err)
		defer l.Close() // both are held until both are known
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1]
}

// onLoopback returns what the daemons' command lines begin with so that they listen on
// loopback alone. They listen where the host's name leads: in a container often
// to an address that others reach, so the name is "localhost" to them then.
func onLoopback(t *testing.T) []string {
	t.Helper()
	host, err := os.Hostname()
	e2e.Must(t, err)
	renamed := []string{"unshare", "--uts", "sh", "-c", `hostname localhost && exec "$@"`, "sh"}
	switch {
	case leadsToLoopback(host):
		return nil
	case leadsToLoopback("localhost") && exec.Command(renamed[0], append(renamed[1:], "true")...).Run() == nil:
		return renamed
	}
	schematest.SkipLacking(t, "Slurm would not keep to loopback: %s is not 127.0.0.1 in /etc/hosts, "+
		"and only root can rename it for a process", host)
	return nil
}

// leadsToLoopback resolves a name as the daemons do.
func leadsToLoopback(host string) bool {
	out, err := exec.Command("getent", "ahostsv4", host).Output()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "127.") {
			return false
		}
	}
	return err == nil && len(out) > 0
}
