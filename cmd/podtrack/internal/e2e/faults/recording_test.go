package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// recording is what the commands did.
type recording struct {
	dir     string
	calls   []poweredCall
	steps   []poweredStep
	counted map[string]int
}

type poweredCall struct {
	syscalled
	step  int
	first bool // of the command
}

// poweredStep is a command that has ended.
type poweredStep struct {
	args    []string
	before  chains
	after   chains
	spoiled []byte // the store as the command found it, nil where it was sound
}

const recordedCalls = "trace=openat,write,pwrite64,ftruncate,fsync,fdatasync,linkat,renameat,unlinkat"

// record executes the commands, and after each compares the model of the disk with the real folder.
func record(t *testing.T) *recording {
	t.Helper()
	program, err := exec.LookPath("podtrack-faults")
	e2e.Must(t, err)
	p := &recording{dir: t.TempDir(), counted: map[string]int{}}
	e2e.Must(t, os.Mkdir(filepath.Join(p.dir, "elsewhere"), 0o777))
	e2e.Start(t, "run", "--store", filepath.Join(p.dir, "elsewhere/other.db"), "--seeds", "3-6", "--bits", "4", "--steps",
		"60", "--iterations", "4").Exit(t, 0)
	d, now, store := newDisk(), chains{}, filepath.Join(p.dir, "store.db")
	for _, c := range powered {
		s := poweredStep{args: inDir(p.dir, c.args), before: now}
		if c.spoil {
			s.spoiled = spoilStore(t, store)
		}
		ended, calls := trace(t, program, []string{"-xx", "-s", fmt.Sprint(64 << 20), "-e", recordedCalls},
			[]string{hurried},
			s.args)
		if ended.ProcessState.ExitCode() != 0 {
			t.Fatal(ended.Said.String())
		}
		now, err = look(t.Context(), store)
		e2e.Must(t, err)
		s.after = now
		p.steps = append(p.steps, s)
		for i, call := range slices.DeleteFunc(calls, p.foreign) {
			p.calls = append(p.calls, poweredCall{call, len(p.steps) - 1, i == 0})
			e2e.Must(t, p.next(d, len(p.calls)-1))
		}
		p.compare(t, d)
	}
	return p
}

// foreign reports whether a call changes nothing in the folder, and prints nothing.
func (r *recording) foreign(c syscalled) bool {
	if c.name == "write" && strings.HasPrefix(c.args[0], "1<") {
		return false
	}
	of := path(c.args[0], "")
	if c.name == "openat" || c.name == "unlinkat" {
		of = path(c.args[1], c.args[0])
	} else if c.name == "linkat" || c.name == "renameat" {
		of = path(c.args[3], c.args[2])
	}
	return of != r.dir && !strings.HasPrefix(of, r.dir+"/")
}

// next does what a call did to the disk.
func (r *recording) next(d *disk, i int) error {
	c := r.calls[i]
	if found := r.steps[c.step].spoiled; c.first && found != nil {
		f := d.names[filepath.Join(r.dir, "store.db")]
		f.content, f.onDisk = bytes.Clone(found), bytes.Clone(found)
	}
	if c.printed() != "" {
		return nil
	}
	return d.apply(c.syscalled)
}

// printed returns what a call wrote to standard output.
func (p poweredCall) printed() string {
	if p.name == "write" && strings.HasPrefix(p.args[0], "1<") {
		return string(unhex(p.args[1]))
	}
	return ""
}

// compare compares the model with the folder.
func (r *recording) compare(t *testing.T, d *disk) {
	t.Helper()
	for _, name := range filesIn(t, r.dir) {
		name = filepath.Join(r.dir, name)
		content, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) || filepath.Base(name) == "elsewhere" {
			continue
		}
		e2e.Must(t, err)
		if f := d.names[name]; f == nil || !bytes.Equal(f.content, content) {
			t.Fatalf("the model has another %s", name)
		}
	}
	for name := range d.names {
		if _, err := os.Stat(name); err != nil {
			t.Fatalf("the model has %s, which is not there", name)
		}
	}
}
