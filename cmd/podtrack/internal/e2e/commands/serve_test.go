package commands

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// startServer serves a store in a process of its own and returns its address.
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
	return strings.TrimSuffix(line, "/\n"), p
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

// decoded returns a document with its numbers as they are written.
func decoded(t *testing.T, document []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %.200s", err, document)
	}
	return v
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
	escaped := "/api/runs/" + url.PathEscape("a/b.c")
	for _, c := range []struct {
		path    string
		command []string
		code    int
	}{
		{"/api/runs?limit=1000", []string{"ls"}, 0},
		{"/api/runs?q=seed%3D0-2&q=bits%3D7&sort=-seed", []string{"ls", "seed=0-2", "bits=7", "--sort", "-seed"}, 0},
		{escaped, []string{"show", "a/b.c"}, 0},
		{"/api/runs/forked", []string{"show", "forked"}, 0},
		{"/api/runs/@2", []string{"show", "@2"}, 0},
		{escaped + "/options", []string{"options", "a/b.c"}, 0},
		{escaped + "/iterations/2/options/1+/why", []string{"why", "a/b.c:2/1+"}, 0},
		{"/api/runs/forked/iterations/1/options/2%2D/why", []string{"why", "forked:1/2-"}, 0},
		{"/api/diff?a=a/b.c&b=forked", []string{"diff", "a/b.c", "forked"}, 1},
		{"/api/diff?a=@3:1&b=@4:2", []string{"diff", "@3:1", "@4:2"}, 1},
		{"/api/diff?a=forked:0/1%2B&b=@4:0/1%2D", []string{"diff", "forked:0/1+", "@4:0/1-"}, 1},
		{"/api/group?q=bits%3D7&q=parent%3D", []string{"diff", "--group", "bits=7", "parent="}, 0},
		{"/api/compare?a=bits%3D7&a=parent%3D&b=bits%3D12&b=reading%3Das-written&b=hide%3D0",
			[]string{"compare", "bits=7 parent=", "bits=12 reading=as-written hide=0"}, 0},
		{"/api/compare?a=bits%3D7+parent%3D&b=bits%3D12+reading%3Das-published+hide%3D0&paired=seed&measure=all",
			[]string{"compare", "bits=7 parent=", "bits=12 reading=as-published hide=0", "--paired", "seed", "--measure", "all"},
			0},
		{"/api/compare?group=bits%3D7+parent%3D&group=bits%3D12+reading%3Das-written+hide%3D0",
			[]string{"compare", "bits=7 parent=", "bits=12 reading=as-written hide=0"}, 0},
		{"/api/compare?group=bits%3D7+parent%3D&group=bits%3D12+reading%3Das-written+hide%3D0" +
			"&group=bits%3D12+reading%3Das-published+hide%3D0&measure=distance",
			[]string{"compare", "bits=7 parent=", "bits=12 reading=as-written hide=0", "bits=12 reading=as-published hide=0",
				"--measure", "distance"}, 0},
		{"/api/compare?q=bits%3D12&by=hide,reading&baseline=3,as-written",
			[]string{"compare", "bits=12", "--by", "hide,reading", "--baseline", "3,as-written"}, 0},
		{"/api/version", []string{"--version"}, 0},
	} {
		p := e2e.Start(t, withStore(c.command, store)...)
		p.Exit(t, c.code)
		got, want := decoded(t, get(t, address+c.path)), decoded(t, p.Printed.Bytes())
		switch document, _ := got.(map[string]any); {
		case strings.HasPrefix(c.path, "/api/runs?"):
			got = document["runs"]
		case c.path == "/api/version":
			if document["store"] != "store.db" {
				t.Errorf("the store is called %q", document["store"])
			}
			delete(document, "store")
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is not what podtrack %s --json prints", c.path, strings.Join(c.command, " "))
		}
	}
}

func withStore(command []string, store string) []string {
	if command[0] == "--version" {
		return append(command, "--json")
	}
	return append(command, "--json", "--store", store)
}

// TestServeEnds interrupts a server with a client that listens to events.
func TestServeEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	store := e2e.NewStore(t, "--bits", "7", "--iterations", "1")
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		address, p := startServer(t, store)
		r, err := http.Get(address + "/api/events")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() && lines.Text() != "event: revision" {
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
