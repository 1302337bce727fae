package faults

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker/pages"
	"go.etcd.io/bbolt"
)

var everyByte = flag.Bool("every-byte", false, "flip every byte of the store, which takes long, and not some")

// few is how many bytes are flipped otherwise.
var few = schematest.Size(50, 250)

// said is what a command prints and how it exits.
type said struct {
	code int
	out  string
}

func say(t *testing.T, args ...string) said {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := command.Execute(t.Context(), append([]string{"podtrack"}, args...), &stdout, &stderr)
	if code != cmdline.ExitDone && stderr.Len() == 0 {
		t.Errorf("%v: exit %d without a word", args, code)
	}
	return said{code, storedSize.ReplaceAllString(stdout.String(), "")}
}

// storedSize is what show says of a record without reading it: how long its
// compressed form is. Nothing else tells that.
var storedSize = regexp.MustCompile(`"stored": \d+`)

// TestFlippedBytes flips bytes of a store. What a command then says is either
// that there is damage, or what it said of the sound store; and check finds
// every flip that any of them stumbles over.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	path := tinyStore(t)
	reads := [][]string{
		{"ls", "--json", "--store", path}, {"show", "s0", "--json", "--store", path},
		{"show", "@1", "--json", "--store", path}, {"options", "s0", "--store", path},
	}
	check := []string{"check", "--read-data", "--json", "--store", path}
	replay := []string{"replay", "seed=0-1", "--store", path}
	var sound []said
	for _, args := range append(reads, check, replay) {
		s := say(t, args...)
		if s.code != cmdline.ExitDone {
			t.Fatalf("%v of the sound store: exit %d", args, s.code)
		}
		sound = append(sound, s)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	e2e.Must(t, err)
	defer f.Close()
	info, err := f.Stat()
	e2e.Must(t, err)
	found, harmless := 0, 0
	for _, flip := range flips(info.Size()) {
		flip.do(t, f)
		c := say(t, check...)
		if c.code != cmdline.ExitDone && c.code != cmdline.ExitDifference && c.code != cmdline.ExitNotStore {
			t.Errorf("%v: check exits %d", flip, c.code)
		}
		commands := reads
		if c.code == cmdline.ExitDone {
			harmless++
			commands = append(slices.Clone(reads), check, replay)
		} else {
			found++
		}
		for i, args := range commands {
			s := say(t, args...)
			switch {
			case s.code == cmdline.ExitDone && s != sound[i]:
				t.Errorf("%v: %s says something wrong:\n%s", flip, args[0], s.out)
			case s.code != cmdline.ExitDone && c.code == cmdline.ExitDone:
				t.Errorf("%v: %v exits %d, but check finds nothing", flip, args, s.code)
			}
		}
		flip.do(t, f)
	}
	t.Logf("of %d flips check found %d, and %d changed nothing", found+harmless, found, harmless)
	if found == 0 || harmless == 0 {
		t.Error("that tells nothing")
	}
}

// flip is a change of one byte, which it also takes back.
type flip struct {
	at int64
	by byte
}

func (f flip) do(t *testing.T, file *os.File) {
	t.Helper()
	var b [1]byte
	_, err := file.ReadAt(b[:], f.at)
	e2e.Must(t, err)
	b[0] ^= f.by
	_, err = file.WriteAt(b[:], f.at)
	e2e.Must(t, err)
}

// flips returns three of each byte, or a few of them spread over the file.
func flips(size int64) (all []flip) {
	for at := range size {
		for _, by := range []byte{1 << (at % 8), 0x80, 0xff} {
			all = append(all, flip{at, by})
		}
	}
	if *everyByte {
		return all
	}
	var some []flip
	for i := 0; i < len(all); i += max(1, len(all)/few) {
		some = append(some, all[i])
	}
	return some
}

// tinyStore has two runs in pages of 1 KiB, so that few of its bytes are unused.
func tinyStore(t *testing.T) string {
	t.Helper()
	first := filepath.Join(t.TempDir(), "first.db")
	for _, args := range [][]string{
		{"run", "--bits", "4", "--steps", "30", "--iterations", "2", "--seeds", "0-1", "--name", "s{seed}", "--parallel", "1",
			"--store", first},
		{"label", "seed=0", "--tag", "study", "--store", first},
		{"label", "s1", "--note", "a note", "--store", first},
	} {
		if s := say(t, args...); s.code != cmdline.ExitDone {
			t.Fatalf("%v: exit %d", args, s.code)
		}
	}
	return inPages(t, first, 1<<10)
}

// inPages returns a copy of a store in pages of so many bytes, none of which is free.
func inPages(t *testing.T, store string, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	from, err := bbolt.Open(store, 0, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	e2e.Must(t, err)
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: size, Timeout: time.Second})
	e2e.Must(t, err)
	e2e.Must(t, errors.Join(bbolt.Compact(to, from, 0), from.Close(), to.Close()))
	return path
}

// TestTruncatedStores: of a store that was cut off at a page nothing is read,
// and nothing is written to it.
func TestTruncatedStores(t *testing.T) {
	t.Parallel()
	path := tinyStore(t)
	whole, err := os.ReadFile(path)
	e2e.Must(t, err)
	p, err := pages.Open(bytes.NewReader(whole), int64(len(whole)))
	e2e.Must(t, err)
	for n := range p.End {
		cut := whole[:int64(n)*p.PageSize]
		e2e.Must(t, os.WriteFile(path, cut, 0o600))
		for _, args := range [][]string{{"check"}, {"ls"}, {"label", "s0", "--tag", "x"}, {"replay", "s0"}} {
			if s := say(t, append(args, "--store", path)...); s.code != cmdline.ExitNotStore {
				t.Errorf("%d pages: %s exits %d", n, args[0], s.code)
			}
		}
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, cut) {
			t.Errorf("%d pages: the file was changed", n)
		}
	}
}
