package command

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// TestServedOpensNoFile serves a store in a folder with files of all endings, whose names are those of runs, too, and
// asks for them in every argument and flag that an address may have. None is opened.
func TestServedOpensNoFile(t *testing.T) {
	store := filepath.Join(t.TempDir(), "podtrack.db")
	execute := func(args ...string) {
		if code := Execute(t.Context(), append([]string{"podtrack"}, args...), io.Discard, os.Stderr); code != 0 {
			t.Fatalf("%s: exit code %d", strings.Join(args, " "), code)
		}
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	schematest.Must(t, err)
	var files []string
	for seed, ending := range []string{"png", "svg", "pdf", "html", "toml", "json", "db", "npz", "txt", "sh"} {
		name := "file." + ending
		execute("run", "--store", store, "--bits", "4", "--steps", "20", "--iterations", "1", "--name", name, "--seed",
			fmt.Sprint(seed))
		if slices.Contains([]string{"png", "svg", "pdf"}, ending) {
			execute("plot", "walk", name, "--store", store, "-o", name)
		} else {
			schematest.Must(t, os.WriteFile(name, []byte("#!/bin/sh\n"), 0o777))
		}
		files = append(files, name)
	}
	opened := watchOpened(t, here)
	address := serveStore(t, store)
	ask := func(path string, q url.Values) (status int) {
		t.Helper()
		r, err := http.Get(address + path + "?" + q.Encode())
		schematest.Must(t, err)
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if names := opened(); len(names) > 0 {
			t.Errorf("%s?%s opens %q", path, q.Encode(), names)
		}
		return r.StatusCode
	}
	answered := 0
	for _, c := range cmdline.Commands() {
		if c.Served == nil {
			continue
		}
		path := "/" + strings.ReplaceAll(c.Name, " ", "-")
		for _, file := range files {
			for _, ref := range []string{file, file + ":0", filepath.Join(here, file), "./" + file, "@" + file,
				"exec:./" + file} {
				if ask(path, url.Values{"of": {ref}, "json": {"true"}}) == 200 {
					answered++
				}
			}
			ask(path, url.Values{"of": {file, "file.png"}, "format": {file}})
			ask(path, url.Values{"q": {file + " file.png"}})
		}
		for _, flag := range c.Served {
			for _, value := range []string{"file.png", "file.toml", "file.sh", "exec:./file.sh", "@file.txt", "-"} {
				ask(path, url.Values{"of": {"file.json"}, flag: {value}, "json": {"true"}})
			}
		}
	}
	if answered < 2*len(files) {
		t.Errorf("only %d requests were answered", answered)
	}
	_, err = os.ReadFile(files[0])
	schematest.Must(t, err)
	if names := opened(); !slices.Contains(names, files[0]) {
		t.Errorf("a file was opened, and %q are noticed: the test shows nothing", names)
	}
}

// serveStore serves a store within this process until the test ends, and returns the address.
func serveStore(t *testing.T, store string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	schematest.Must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- web.Serve(ctx, l, web.Options{Store: tracker.New(store, tracker.Options{}), Execute: executeLine,
			Addr: l.Addr().String()})
	}()
	t.Cleanup(func() {
		stop()
		schematest.Must(t, <-ended)
	})
	return "http://" + l.Addr().String()
}

// watchOpened returns a function that returns the names of the files in a folder that were opened since its last call.
func watchOpened(t *testing.T, folder string) func() []string {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	schematest.Must(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	_, err = syscall.InotifyAddWatch(fd, folder, syscall.IN_OPEN)
	schematest.Must(t, err)
	return func() (names []string) {
		events := make([]byte, 64<<10)
		n, err := syscall.Read(fd, events)
		if err == syscall.EAGAIN {
			return nil
		}
		schematest.Must(t, err)
		for events = events[:n]; len(events) > 0; {
			e := (*syscall.InotifyEvent)(unsafe.Pointer(&events[0]))
			name := events[syscall.SizeofInotifyEvent : syscall.SizeofInotifyEvent+e.Len]
			names = append(names, strings.TrimRight(string(name), "\x00"))
			events = events[syscall.SizeofInotifyEvent+e.Len:]
		}
		return names
	}
}
