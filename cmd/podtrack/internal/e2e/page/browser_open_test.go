package page

import (
	"bufio"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// TestOpenKeepsTokenSecret opens a browser that notes its arguments, which all users of
// a machine can read, and follows the way that they show.
func TestOpenKeepsTokenSecret(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("xdg-open is of Linux")
	}
	self, err := os.Executable()
	e2e.Must(t, err)
	dir := t.TempDir()
	noted, temp := filepath.Join(dir, "noted"), filepath.Join(dir, "temp")
	e2e.Must(t, os.Mkdir(temp, 0o777))
	schematest.WriteProgram(t, filepath.Join(dir, "xdg-open"),
		[]byte("#!/bin/sh\necho \"$@\" > "+textfmt.ShellQuote(noted)+"\nexit 3\n"))
	p := &e2e.Program{Cmd: &exec.Cmd{Path: self, Args: []string{"podtrack", "serve", "--store", filepath.Join(dir,
		"none.db"),
		"--token", "new", "--open"}}}
	p.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+temp)
	out, err := p.StdoutPipe()
	e2e.Must(t, err)
	messages, err := p.StderrPipe()
	e2e.Must(t, err)
	e2e.Must(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	line, err := bufio.NewReader(out).ReadString('\n')
	e2e.Must(t, err)
	address, err := url.Parse(strings.TrimSpace(line))
	e2e.Must(t, err)
	token := address.Query().Get("token")
	for s := bufio.NewScanner(messages); s.Scan() && !strings.Contains(s.Text(), "no browser was opened"); {
	}
	path := strings.TrimSpace(string(e2e.ContentOf(t, noted)))
	if token == "" || strings.Contains(path, token) {
		t.Fatalf("the token %q is in the arguments %q", token, path)
	}
	for place, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(place); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", place, info.Mode(), err)
		}
	}

	to := regexp.MustCompile(`url=([^"]+)"`).FindStringSubmatch(string(e2e.ContentOf(t, path)))
	jar, err := cookiejar.New(nil)
	e2e.Must(t, err)
	client := &http.Client{Jar: jar}
	ask, err := http.NewRequest(http.MethodGet, to[1], nil)
	e2e.Must(t, err)
	ask.Header.Set("Sec-Fetch-Site", "cross-site") // as a browser says of a file
	ask.Header.Set("Sec-Fetch-Mode", "navigate")
	answer, err := client.Do(ask)
	e2e.Must(t, err)
	answer.Body.Close()
	leads, found := strings.CutPrefix(answer.Header.Get("Refresh"), "0; url=")
	if answer.StatusCode != http.StatusOK || !found || !strings.HasPrefix(leads, "./") {
		t.Fatalf("status %d, leads to %q", answer.StatusCode, leads)
	}
	next, err := answer.Request.URL.Parse(leads)
	e2e.Must(t, err)
	answer, err = client.Get(next.String())
	e2e.Must(t, err)
	answer.Body.Close()
	if at := answer.Request.URL.String(); strings.Contains(at, token) || answer.StatusCode != http.StatusNotFound {
		t.Errorf("the page of no store, at %s: status %d", at, answer.StatusCode)
	}

	e2e.Must(t, p.Process.Signal(os.Interrupt))
	p.Exit(t, 0)
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%s is left behind", left[0].Name())
	}
}
