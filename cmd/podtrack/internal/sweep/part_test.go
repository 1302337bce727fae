package sweep

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/merge"
)

// TestBadParts: a part that is not what its name says is left out and reported; the other parts are gathered, and the
// sweep makes its runs again.
func TestBadParts(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"cut off": func(t *testing.T, path string) { ok(t, os.Truncate(path, 5000)) },
		"a byte flipped": func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			ok(t, err)
			text[len(text)/2] ^= 1
			ok(t, os.WriteFile(path, text, 0o666))
		},
		"something else": func(t *testing.T, path string) {
			ok(t, os.WriteFile(path, []byte("This is no store."), 0o666))
		},
		"zero bytes": func(t *testing.T, path string) { ok(t, os.Truncate(path, 0)) },
		"a folder":   func(t *testing.T, path string) { ok(t, os.Remove(path)); ok(t, os.Mkdir(path, 0o777)) },
		"a link to nothing": func(t *testing.T, path string) {
			if ok(t, os.Remove(path)); os.Symlink("nothing", path) != nil {
				t.Skip("no links here")
			}
		},
		"sealed, and no part": sealed([]byte("This is no store.")),
		"sealed, and empty":   sealed(nil),
		"sealed, and damaged": resealed,
		"one that may not be read": func(t *testing.T, path string) {
			if ok(t, os.Chmod(path, 0)); runtime.GOOS == "windows" || os.Getuid() == 0 {
				t.Skip("nobody is kept from reading")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.begin(Shard{0, 2}).work(0).save()
			bad := s.parts()[0]
			s.begin(Shard{1, 2}).work(1).save()
			spoil(t, bad.Path)
			before := s.files()

			p := s.begin(WholePlan)
			if got := counts(p.progress); got != [4]int{1, 0, 0, 7} || len(p.bad) != 1 {
				t.Errorf("%v, told of %v", got, p.bad)
			}
			progress := NewProgress(s.plan, WholePlan)
			parts, told1, err := s.folder.ScanParts(t.Context(), progress)
			// in a record, which Look does not read
			if seen := len(told1) == 1 && parts == 1 && counts(progress)[0] == 1; err != nil || !seen &&
				name != "a byte flipped" {
				t.Error(parts, told1, err, counts(progress))
			}
			g, told := s.gather()
			if g.Parts != 1 || g.Left != 0 || len(told) != 1 {
				t.Errorf("%+v, told of %v", g, told)
			}
			for _, err := range told {
				if !strings.Contains(err.Error(), filepath.Base(s.folder.partsPath())) {
					t.Errorf("%v does not name the part", err)
				}
			}
			if after := s.files(); len(after) != 1 ||
				!slices.Contains(before, strings.TrimSuffix(after[0], badSuffix)) {
				t.Errorf("left are %v, there were %v", after, before)
			}
			p.work(p.progress.Remaining()...).save()
			s.gather()
			s.checkWhole()
		})
	}
}

// sealed gives a part other bytes, and a name that says so.
func sealed(text []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		ok(t, os.WriteFile(path, text, 0o666))
		reseal(t, path)
	}
}

func reseal(t *testing.T, path string) {
	seal, err := hashFile(t.Context(), path)
	ok(t, err)
	old := partName().FindStringSubmatch(filepath.Base(path))[3]
	ok(t, os.Rename(path, strings.Replace(path, old, seal, 1)))
}

// resealed is a part in which every page but the first ones is nothing.
func resealed(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	ok(t, err)
	for i := len(text) / 4; i < len(text); i++ {
		text[i] = 0xff
	}
	ok(t, os.WriteFile(path, text, 0o666))
	reseal(t, path)
}

// TestForeignFiles: what is no part by its name is not looked at.
func TestForeignFiles(t *testing.T) {
	s := newSite(t)
	s.begin(WholePlan).work(0).save()
	name := filepath.Base(s.parts()[0].Path)
	for _, other := range []string{"notes.txt", ".hidden", name + ".bak", "x" + name, strings.ToUpper(name),
		strings.Replace(name, "-of-", "-", 1), name[:40] + ".db"} {
		ok(t, os.WriteFile(filepath.Join(s.folder.partsPath(), other), []byte("mine"), 0o666))
	}
	ok(t, os.Mkdir(filepath.Join(s.folder.partsPath(), "folder"), 0o777))
	if parts := s.parts(); len(parts) != 1 {
		t.Fatalf("parts: %v", parts)
	}
	if g, bad := s.gather(); g.Parts != 1 || len(bad) > 0 {
		t.Errorf("%+v, %v", g, bad)
	}
	if left := s.files(); len(left) != 8 {
		t.Errorf("left are %v", left)
	}
}

// TestForgedPart: a sound part whose run has another head is reported. The run here stays, and so does the part,
// so that both can be examined.
func TestForgedPart(t *testing.T) {
	s := newSite(t)
	p := s.begin(WholePlan)
	forge(t, s.plan, p.local)
	p.work(1).save()
	perform(t, s.plan, s.store, 0)
	before := heads(t, s.store)
	for range 2 {
		g, bad := s.gather()
		if len(bad) > 0 || g.Left != 1 || g.Parts != 0 || len(g.Runs) != 1 ||
			g.Runs[0].Outcome != merge.OutcomeDiffers || g.Runs[0].Part != s.parts()[0].Path {
			t.Errorf("%+v, %v", g, bad)
		}
		now := heads(t, s.store)
		for id, head := range before {
			if now[id] != head {
				t.Errorf("run %.7s: head %s, was %s", id, now[id], head)
			}
		}
		if len(now) != 2 {
			t.Errorf("%d runs: the part's other one is not taken", len(now))
		}
		if len(s.files()) != 1 {
			t.Error(s.files())
		}
	}
}

// forge writes another history of the plan's first run into a store: that of the
// fourth under its name.
func forge(t *testing.T, p *Plan, store *tracker.Store) {
	t.Helper()
	source := newStore(t)
	ok(t, source.Create(t.Context()))
	perform(t, p, source, 3)
	other, err := p.job(3)
	ok(t, err)
	id, err := other.ID()
	ok(t, err)
	job, err := p.job(0)
	ok(t, err)
	w := groupcommit.Start(t.Context(), store)
	rw, held, err := w.Acquire(t.Context(), tracker.Claim{Spec: job.Spec, Target: p.Iterations})
	ok(t, err)
	link := held.Run.ID
	ok(t, source.View(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		for k, it := range its {
			for _, e := range it.Records {
				data, err := tx.ReadRecord(e.Name)
				if err == nil {
					_, err = rw.Put(data)
				}
				if err != nil {
					return err
				}
			}
			if link, err = schema.Link(k, link, it.Records); err != nil {
				return err
			}
			if err := rw.SealIteration(k, schema.Iteration{Link: link, Records: it.Records},
				tracker.Cost{}); err != nil {
				return err
			}
		}
		return err
	}))
	ok(t, closeNow(w))
}

// TestVanishedParts: parts that another process gathers meanwhile are not damage.
func TestVanishedParts(t *testing.T) {
	s := newSite(t)
	s.begin(Shard{0, 2}).work(0).save()
	s.begin(Shard{1, 2}).work(1).save()
	seen := 0
	bad, err := forEachPart(t.Context(), s.parts(), Part.Verify, func(Part) error {
		for _, p := range s.parts() {
			ok(t, os.Remove(p.Path))
		}
		seen++
		return nil
	})
	if seen != 1 || len(bad) > 0 || err != nil {
		t.Error(seen, bad, err)
	}
}

// TestInterruptedGather: a gathering that is stopped leaves what it had not taken.
func TestInterruptedGather(t *testing.T) {
	s := newSite(t)
	for i := range 3 {
		s.begin(Shard{i, 3}).work(i).save()
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, bad, err := s.folder.Gather(ctx, s.store, false, func(done, _ int) {
		if done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(bad) > 0 {
		t.Error(bad, err)
	}
	if n := len(s.files()); n != 2 {
		t.Errorf("%d parts are left", n)
	}
	s.gather()
	if got := heads(t, s.store); len(got) != 3 || !maps.Equal(got, heads(t, s.store)) {
		t.Errorf("%d runs", len(got))
	}
}
