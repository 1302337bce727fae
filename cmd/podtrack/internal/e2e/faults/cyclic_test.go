package faults

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/textfmt"
	"go.etcd.io/bbolt"
)

// cyclic are stores whose pages lead where they must not.
var cyclic = map[string]func(*testing.T, *forgedTree){
	"a branch to itself": func(_ *testing.T, f *forgedTree) {
		f.lead(f.roots["iterations"], 0, f.roots["iterations"])
	},
	"a branch of records to itself": func(_ *testing.T, f *forgedTree) {
		f.lead(f.roots["records"], 0, f.roots["records"])
	},
	"a branch to its parent": func(_ *testing.T, f *forgedTree) {
		f.lead(f.child(f.roots["records"], 0), 1, f.roots["records"])
	},
	"a branch to a leaf of records": func(_ *testing.T, f *forgedTree) {
		f.lead(f.roots["iterations"], 1, f.child(f.child(f.roots["records"], 0), 1))
	},
	"a branch of records to a leaf of another bucket": func(_ *testing.T, f *forgedTree) {
		f.lead(f.child(f.roots["records"], 1), 1, f.child(f.roots["digests"], 1))
	},
	"two ways to a leaf": func(_ *testing.T, f *forgedTree) {
		f.lead(f.roots["sessions"], 1, f.child(f.roots["sessions"], 0))
	},
	"two ways to a leaf of records": func(_ *testing.T, f *forgedTree) {
		branch := f.child(f.roots["records"], 0)
		f.lead(branch, 1, f.child(branch, 0))
	},
	"a bucket at the root of another": func(t *testing.T, f *forgedTree) {
		f.plant(t, "iterations", f.roots["digests"])
	},
	"records at the root of another": func(t *testing.T, f *forgedTree) {
		f.plant(t, "records", f.roots["iterations"])
	},
	"a bucket at the root of the tree": func(t *testing.T, f *forgedTree) {
		f.plant(t, "runs", f.root)
	},
	"a free page in use": func(_ *testing.T, f *forgedTree) {
		f.free(f.child(f.roots["iterations"], 1))
	},
	"a free page of records in use": func(_ *testing.T, f *forgedTree) {
		f.free(f.child(f.child(f.roots["records"], 0), 1))
	},
}

// TestCyclicPages: a command that reads reports the damage, or prints what it prints of the sound store; a command that
// writes refuses; check finds the damage; and repair brings back every head, since all rows and records are somewhere
// in the file.
func TestCyclicPages(t *testing.T) {
	t.Parallel()
	made := bushyStore(t)
	sound := e2e.ContentOf(t, made)
	want := e2e.Heads(e2e.List(t, made))
	reads := [][]string{{"ls"}, {"show", "@1"}, {"show", "s0"}, {"options", "s1"}, {"replay", "s0"}}
	said := map[string]string{}
	for _, args := range reads {
		p := e2e.Start(t, append(args, "--store", made)...)
		p.Exit(t, cmdline.ExitDone)
		said[strings.Join(args, " ")] = p.Printed.String()
	}
	for i, name := range schematest.Sample(slices.Sorted(maps.Keys(cyclic))) {
		forge := cyclic[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "podtrack.db")
			e2e.Must(t, os.WriteFile(path, sound, 0o600))
			f := treeOf(t, path)
			forge(t, f)
			e2e.Must(t, os.WriteFile(path, f.bytes, 0o600))
			for j, args := range reads {
				if (i+j)%schematest.Size(3, 1) != 0 {
					continue // another case has its turn
				}
				p := answer(t, append(args, "--store", path), cmdline.ExitDone, cmdline.ExitDifference)
				if p.ProcessState.Success() && p.Printed.String() != said[strings.Join(args, " ")] {
					t.Errorf("%v says something wrong:\n%s", args, p.Printed.String())
				}
			}
			p := answer(t, []string{"check", "--store", path}, cmdline.ExitDifference)
			if !strings.Contains(p.Printed.String(), "structure: ") ||
				!strings.Contains(p.Said.String(), "podtrack repair --store "+textfmt.ShellQuote(path)) {
				t.Errorf("check says\n%s%s", p.Printed.String(), p.Said.String())
			}
			for line, n := range counted(p.Printed.String()) {
				if n > 1 && strings.HasPrefix(line, "structure: ") {
					t.Errorf("check says %d times: %s", n, line)
				}
			}
			refuseWrites(t, path, schematest.Size(i, 0), schematest.Size(4, 1))
			mergeFrom(t, path, want)
			if now := e2e.ContentOf(t, path); !bytes.Equal(now, f.bytes) {
				t.Fatal("the file was changed")
			}
			healed(t, path, f.bytes, want)
		})
	}
}

// counted returns how often each line is there.
func counted(text string) map[string]int {
	lines := map[string]int{}
	for line := range strings.Lines(text) {
		lines[line]++
	}
	return lines
}

// answer runs a command that must end with one of the codes and, where it fails,
// say what failed and how to mend it.
func answer(t *testing.T, args []string, codes ...int) *e2e.Program {
	t.Helper()
	p := e2e.Start(t, args...)
	_ = p.Wait()
	got := p.ProcessState.ExitCode()
	for _, code := range codes {
		if got != code {
			continue
		}
		if why := e2e.CheckMessage(p.Said.String()); got != cmdline.ExitDone && p.Said.Len() > 0 && why != "" {
			t.Errorf("%v: %s:\n%s", args, why, p.Said.String())
		}
		if got != cmdline.ExitDone && p.Said.Len()+p.Printed.Len() == 0 {
			t.Errorf("%v: exit code %d without a word", args, got)
		}
		return p
	}
	t.Errorf("%v: exit code %d, want one of %v\n%s", args, got, codes, p.Said.String())
	return p
}

// refuseWrites: nothing is written to a store that is damaged, or beside it, by any
// command whose number is first modulo step.
func refuseWrites(t *testing.T, store string, first, step int) {
	t.Helper()
	for j, args := range [][]string{
		{"run", "--bits", "4", "--steps", "30", "--seed", "77"}, {"resume", "s1", "--iterations", "6"},
		{"label", "s0", "--tag", "x"},
		{"rm", "--yes", "s0"}, {"compact"}, {"repair", "--pruned"},
	} {
		if (first+j)%step != 0 {
			continue
		}
		answer(t, append(args, "--store", store), cmdline.ExitDifference, cmdline.ExitNotStore)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(store), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// mergeFrom merges a damaged store. What comes over is sound.
func mergeFrom(t *testing.T, store string, want map[string]string) {
	t.Helper()
	target := filepath.Join(t.TempDir(), "target.db")
	answer(t, []string{"merge", store, "--store", target}, cmdline.ExitDone, cmdline.ExitDifference)
	answer(t, []string{"check", "--read-data", "--store", target}, cmdline.ExitDone)
	for id, head := range e2e.Heads(e2e.List(t, target)) {
		if want[id] != head {
			t.Errorf("run %s came over with %s, and not %s", id, head, want[id])
		}
	}
}

// healed repairs a store that was damaged to be those bytes.
func healed(t *testing.T, store string, damaged []byte, want map[string]string) {
	t.Helper()
	answer(t, []string{"repair", "--store", store}, cmdline.ExitDone)
	answer(t, []string{"check", "--read-data", "--store", store}, cmdline.ExitDone)
	if got := e2e.Heads(e2e.List(t, store)); !maps.Equal(got, want) {
		t.Errorf("heads %v after the repair, want %v", got, want)
	}
	if old := e2e.ContentOf(t, store+".damaged"); !bytes.Equal(old, damaged) {
		t.Error("the damaged file is not kept as it was")
	}
	e2e.Must(t, os.Remove(store+".damaged"))
}

// forgedTree is a file of bbolt's in pages of 1 KiB, to be changed at will.
type forgedTree struct {
	bytes []byte
	root  uint64            // of the tree: a page that lists the buckets
	roots map[string]uint64 // of buckets
}

// The form of a page: 16 bytes of header with the number of elements at 10, then
// elements of 16 bytes, of which the last 8 are a branch's child.
const (
	forgedPage = 1 << 10
	pageHeader = 16
)

func (f *forgedTree) page(n uint64) []byte { return f.bytes[n*forgedPage : (n+1)*forgedPage] }

func (f *forgedTree) child(branch uint64, i int) uint64 {
	return binary.NativeEndian.Uint64(f.page(branch)[pageHeader+16*i+8:])
}

func (f *forgedTree) lead(branch uint64, i int, to uint64) {
	binary.NativeEndian.PutUint64(f.page(branch)[pageHeader+16*i+8:], to)
}

// plant gives a bucket another root: behind its name in the tree's root.
func (f *forgedTree) plant(t *testing.T, bucket string, root uint64) {
	t.Helper()
	entry := binary.NativeEndian.AppendUint64([]byte(bucket), f.roots[bucket])
	if n := bytes.Count(f.page(f.root), entry); n != 1 {
		t.Fatalf("bucket %s is %d times in the root", bucket, n)
	}
	at := bytes.Index(f.page(f.root), entry) + len(bucket)
	binary.NativeEndian.PutUint64(f.page(f.root)[at:], root)
}

// free makes a page the only free one. A meta page has the freelist 32 bytes behind
// its header, and the number of its commit 48: the higher one counts.
func (f *forgedTree) free(page uint64) {
	field := func(meta uint64, at int) uint64 { return binary.NativeEndian.Uint64(f.page(meta)[pageHeader+at:]) }
	meta := uint64(0)
	if field(1, 48) > field(0, 48) {
		meta = 1
	}
	list := f.page(field(meta, 32))
	binary.NativeEndian.PutUint16(list[10:], 1)
	binary.NativeEndian.PutUint64(list[pageHeader:], page)
}

func treeOf(t *testing.T, path string) *forgedTree {
	t.Helper()
	f := &forgedTree{bytes: e2e.ContentOf(t, path), roots: map[string]uint64{}}
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	e2e.Must(t, err)
	e2e.Must(t, db.View(func(tx *bbolt.Tx) error {
		f.root = uint64(tx.Cursor().Bucket().Root())
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			f.roots[string(name)] = uint64(b.Root())
			return nil
		})
	}))
	e2e.Must(t, db.Close())
	return f
}

// bushyStore has eight runs in pages of 1 KiB, so that buckets have branches, and
// records two levels of them.
func bushyStore(t *testing.T) string {
	t.Helper()
	first := filepath.Join(t.TempDir(), "first.db")
	e2e.Perform(t, "run", "--bits", "4", "--steps", "30", "--iterations", "4", "--seeds", "0-7", "--name", "s{seed}",
		"--parallel", "1", "--store", first)
	return inPages(t, first, 1<<10)
}
