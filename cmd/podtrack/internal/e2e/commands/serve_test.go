package commands

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// startServer serves a store in a process of its own and returns its address, which ends in /.
func startServer(t *testing.T, store string) (address string, p *e2e.Program) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p = &e2e.Program{Cmd: &exec.Cmd{Path: self, Args: []string{"podtrack", "serve", "--store", store}}}
	p.Stderr = &p.Said
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v\n%s", err, p.Said.String())
	}
	return strings.TrimSuffix(line, "\n"), p
}

// get returns an answer's body.
func get(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %s", address, r.StatusCode, err, body)
	}
	return body
}

// TestServedDocuments compares what is served with what the commands print with --json.
func TestServedDocuments(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store.db")
	e2e.Perform(t, "sweep", "--seeds", "0", "--reading", "as-written,as-published", "--hide", "0,3", "--store", store)
	e2e.Perform(t, "run", "--store", store, "--bits", "7", "--seeds", "0-2", "--iterations", "3")
	e2e.Perform(t, "run", "--store", store, "--bits", "7", "--seed", "3", "--iterations", "3", "--name", "a/b.c")
	e2e.Perform(t, "fork", "a/b.c:2", "--store", store, "--set", "gamma=0.9", "--name", "forked")
	address, _ := startServer(t, store)
	for _, c := range []struct {
		path    string
		command []string
		code    int
	}{
		{"ls?json=true", []string{"ls"}, 0},
		{"ls?q=seed%3D0-2+bits%3D7&sort=-seed&json=true", []string{"ls", "seed=0-2", "bits=7", "--sort", "-seed"}, 0},
		{"show?of=a/b.c&json=true", []string{"show", "a/b.c"}, 0},
		{"show?of=forked&exploration=true&json=true", []string{"show", "forked", "--exploration"}, 0},
		{"show?of=@2&json=true", []string{"show", "@2"}, 0},
		{"options?of=a/b.c&json=true", []string{"options", "a/b.c"}, 0},
		{"why?of=a/b.c:2/1%2B&json=true", []string{"why", "a/b.c:2/1+"}, 0},
		{"why?of=forked:1/2%2D&json=true", []string{"why", "forked:1/2-"}, 0},
		{"diff?of=a/b.c&of=forked&json=true", []string{"diff", "a/b.c", "forked"}, 1},
		{"diff?of=@3:1&of=@4:2&json=true", []string{"diff", "@3:1", "@4:2"}, 1},
		{"diff?of=forked:0/1%2B&of=@4:0/1%2D&json=true", []string{"diff", "forked:0/1+", "@4:0/1-"}, 1},
		{"diff?group=true&q=bits%3D7+parent%3D&json=true", []string{"diff", "--group", "bits=7", "parent="}, 0},
		{"compare?of=bits%3D7+parent%3D&of=bits%3D12+reading%3Das-published+hide%3D0&paired=seed&measure=all&json=true",
			[]string{"compare", "bits=7 parent=", "bits=12 reading=as-published hide=0", "--paired", "seed", "--measure", "all"},
			0},
		{"compare?of=bits%3D7+parent%3D&of=bits%3D12+reading%3Das-written+hide%3D0" +
			"&of=bits%3D12+reading%3Das-published+hide%3D0&measure=distance&json=true",
			[]string{"compare", "bits=7 parent=", "bits=12 reading=as-written hide=0", "bits=12 reading=as-published hide=0",
				"--measure", "distance"}, 0},
		{"compare?of=bits%3D12&by=hide,reading&baseline=3,as-written&json=true",
			[]string{"compare", "bits=12", "--by", "hide,reading", "--baseline", "3,as-written"}, 0},
	} {
		p := e2e.Start(t, append(c.command, "--json", "--store", store)...)
		p.Exit(t, c.code)
		if got := get(t, address+c.path); !bytes.Equal(got, p.Printed.Bytes()) {
			t.Errorf("%s is not what podtrack %s --json prints", c.path, strings.Join(c.command, " "))
		}
	}
}

// TestServeEnds interrupts a server with a client that listens to events.
func TestServeEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	store := e2e.NewStore(t, "--bits", "7", "--iterations", "1")
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		address, p := startServer(t, store)
		r, err := http.Get(address + "events")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() && lines.Text() != "event: change" {
		}
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
		}
		r.Body.Close()
		p.Exit(t, 0)
		if !strings.Contains(p.Said.String(), "serving "+store+", read-only") {
			t.Errorf("stderr: %s", p.Said.String())
		}
	}
}
