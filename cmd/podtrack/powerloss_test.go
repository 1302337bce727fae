package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var cuts = flag.Int("cuts", 200, "cut the power so many times")

// powered are commands one after the other, in a folder that is empty at first:
// store.db is made in it, and everything that changes a store is done to it.
var powered = []struct {
	args  []string
	spoil bool // take records out of the store before the command
}{
	{args: []string{"run", "--store", "STORE", "--bits", "6", "--steps", "2000", "--iterations", "2"}},
	{args: []string{"run", "--store", "STORE", "--seeds", "1-4", "--bits", "4", "--steps", "60", "--iterations", "3", "--json"}},
	{args: []string{"prune", "--store", "STORE", "--keep", "factors", "seed=0-1"}},
	{args: []string{"rm", "--store", "STORE", "--yes", "seed=2"}},
	{args: []string{"compact", "--store", "STORE"}},
	{args: []string{"resume", "--store", "STORE", "seed=3", "--iterations", "5"}},
	{args: []string{"merge", "--store", "STORE", "DIR/elsewhere/other.db"}},
	{args: []string{"export", "--store", "STORE", "seed=3-9", "--format", "bundle", "-o", "DIR/bundle.db"}},
	{args: []string{"repair", "--store", "STORE", "--pruned"}},
	{args: []string{"repair", "--store", "STORE"}, spoil: true},
	{args: []string{"run", "--store", "STORE", "--seed", "11", "--bits", "4", "--steps", "60", "--iterations", "2"}},
}

// TestPowerLoss records what commands write, rename and sync, and cuts the power
// at instants in between: what was not synced by then is on the disk or is not, by
// the sector and in any order. The store is sound, and what a command has printed,
// or ended well with, is in it.
func TestPowerLoss(t *testing.T) {
	needsFaults(t)
	needsTrace(t)
	p := record(t)
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-kill-seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	wanted := map[int]int{}
	for range *cuts {
		wanted[p.instant(r)]++
	}
	d := newDisk()
	for i := range len(p.calls) + 1 {
		for range wanted[i] {
			p.cut(t, d, i, r)
		}
		if i < len(p.calls) {
			ok(t, p.next(d, i))
		}
	}
	t.Logf("%d calls, %d cuts: %v", len(p.calls), *cuts, p.counted)
	for _, what := range []string{"as before", "on the way", "as after"} {
		if p.counted[what] == 0 && *cuts >= 200 {
			t.Errorf("the store was never %s", what)
		}
	}
}

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

// record lets the commands do their work, and holds the model of the disk to what
// is really in the folder after each.
func record(t *testing.T) *recording {
	t.Helper()
	program, err := faultyProgram()
	ok(t, err)
	p := &recording{dir: t.TempDir(), counted: map[string]int{}}
	ok(t, os.Mkdir(filepath.Join(p.dir, "elsewhere"), 0o777))
	start(t, "run", "--store", filepath.Join(p.dir, "elsewhere/other.db"), "--seeds", "3-6", "--bits", "4", "--steps", "60", "--iterations", "4").exit(t, 0)
	d, now, store := newDisk(), chains{}, filepath.Join(p.dir, "store.db")
	for _, c := range powered {
		s := poweredStep{args: in(p.dir, c.args), before: now}
		if c.spoil {
			s.spoiled = spoil(t, store)
		}
		ended, calls := trace(t, program, []string{"-xx", "-s", fmt.Sprint(64 << 20), "-e", recordedCalls}, []string{hurried}, s.args)
		if ended.ProcessState.ExitCode() != 0 {
			t.Fatal(ended.stderr.String())
		}
		now, err = look(t.Context(), store)
		ok(t, err)
		s.after = now
		p.steps = append(p.steps, s)
		for i, call := range slices.DeleteFunc(calls, p.foreign) {
			p.calls = append(p.calls, poweredCall{call, len(p.steps) - 1, i == 0})
			ok(t, p.next(d, len(p.calls)-1))
		}
		p.compare(t, d)
	}
	return p
}

// instant is the number of a call to cut the power before: every command is as
// likely as any other, however many calls it makes.
func (p *recording) instant(r *rand.Rand) int {
	step := r.IntN(len(p.steps))
	first, _ := slices.BinarySearchFunc(p.calls, step, func(c poweredCall, step int) int { return c.step - step })
	end, _ := slices.BinarySearchFunc(p.calls, step+1, func(c poweredCall, step int) int { return c.step - step })
	return first + 1 + r.IntN(end-first)
}

// foreign says whether a call changes nothing in the folder, and prints nothing.
func (p *recording) foreign(c syscalled) bool {
	if c.name == "write" && strings.HasPrefix(c.args[0], "1<") {
		return false
	}
	of := path(c.args[0], "")
	if c.name == "openat" || c.name == "unlinkat" {
		of = path(c.args[1], c.args[0])
	} else if c.name == "linkat" || c.name == "renameat" {
		of = path(c.args[3], c.args[2])
	}
	return of != p.dir && !strings.HasPrefix(of, p.dir+"/")
}

// next does what a call did to the disk.
func (p *recording) next(d *disk, i int) error {
	c := p.calls[i]
	if found := p.steps[c.step].spoiled; c.first && found != nil {
		f := d.names[filepath.Join(p.dir, "store.db")]
		f.content, f.onDisk = bytes.Clone(found), bytes.Clone(found)
	}
	if c.printed() != "" {
		return nil
	}
	return d.apply(c.syscalled)
}

// printed is what a call wrote to standard output.
func (c poweredCall) printed() string {
	if c.name == "write" && strings.HasPrefix(c.args[0], "1<") {
		return string(unhex(c.args[1]))
	}
	return ""
}

// compare holds the model to the folder.
func (p *recording) compare(t *testing.T, d *disk) {
	t.Helper()
	for _, name := range filesIn(t, p.dir) {
		name = filepath.Join(p.dir, name)
		content, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) || filepath.Base(name) == "elsewhere" {
			continue
		}
		ok(t, err)
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

// cut takes the power away before call i, and looks at what is there then.
func (p *recording) cut(t *testing.T, d *disk, i int, r *rand.Rand) {
	t.Helper()
	chance := []float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)]
	sector := []int64{512, 4 << 10}[r.IntN(2)]
	dir := filepath.Join(p.dir, "elsewhere", "cut")
	ok(t, os.MkdirAll(dir, 0o777))
	defer os.RemoveAll(dir)
	for name, content := range d.crash(r, chance, sector) {
		name = filepath.Join(dir, strings.TrimPrefix(name, p.dir))
		ok(t, os.MkdirAll(filepath.Dir(name), 0o777))
		ok(t, os.WriteFile(name, content, 0o666))
	}
	if err := p.judge(t, dir, i, r.IntN(8) == 0); err != nil {
		t.Errorf("cut before call %d, %v of what is not synced is there: %v", i, chance, err)
	}
}

// judge holds what is there to the command under way, and to what it had printed.
func (p *recording) judge(t *testing.T, dir string, i int, again bool) error {
	s, printed := p.at(i)
	if err := p.judgeBundle(t, dir, i); err != nil {
		return fmt.Errorf("the bundle: %w", err)
	}
	store := filepath.Join(dir, "store.db")
	if s.spoiled != nil {
		there, err := holds(store, s.spoiled)
		if there || err != nil {
			p.counted["as spoiled"]++
			return err
		}
		if there, err := holds(store+".damaged", s.spoiled); !there {
			return errors.Join(errors.New("the damaged store is not kept"), err)
		}
	}
	now, err := look(t.Context(), store)
	if err != nil {
		return err
	}
	p.count(now, s)
	if err := now.between(s.before, s.after); err != nil {
		return err
	}
	for id, c := range s.after {
		if n := len(c.links); strings.Contains(printed, c.links[n-1].String()) && len(now[id].links) != n {
			return fmt.Errorf("run %s was printed with %d iterations, and has %d", id, n, len(now[id].links))
		}
	}
	if again && s.args != nil && !slices.Contains(s.args, "export") && !now.equal(s.after) {
		return p.again(t, s, dir)
	}
	return nil
}

// judgeBundle: a bundle is there whole or not at all, and is there once its
// command has ended.
func (p *recording) judgeBundle(t *testing.T, dir string, i int) error {
	path := filepath.Join(dir, "bundle.db")
	exported := i == len(p.calls) || slices.Contains(p.steps[p.calls[i].step-boolToInt(p.calls[i].first && i > 0)].args, "repair")
	if _, err := os.Stat(path); err != nil && !exported {
		return nil
	}
	runs, err := look(t.Context(), path)
	if err == nil && len(runs) == 0 {
		err = errors.New("it is empty")
	}
	return err
}

func holds(path string, content []byte) (bool, error) {
	there, err := os.ReadFile(path)
	return bytes.Equal(there, content), err
}

// at is the command under way before call i, and what it had printed by then.
// Between two commands there is none: that one has ended counts as much as what
// it has printed.
func (p *recording) at(i int) (s poweredStep, printed string) {
	if i == len(p.calls) {
		last := p.steps[len(p.steps)-1].after
		return poweredStep{before: last, after: last}, ""
	}
	s = p.steps[p.calls[i].step]
	if p.calls[i].first {
		return poweredStep{before: s.before, after: s.before}, ""
	}
	for j := i - 1; p.calls[j].step == p.calls[i].step && j > 0; j-- {
		printed = p.calls[j].printed() + printed
	}
	return s, printed
}

func (p *recording) count(now chains, s poweredStep) {
	switch {
	case now.equal(s.after):
		p.counted["as after"]++
	case now.equal(s.before):
		p.counted["as before"]++
	default:
		p.counted["on the way"]++
	}
}

// again gives the command that the power loss ended.
func (p *recording) again(t *testing.T, s poweredStep, dir string) error {
	args := slices.Clone(s.args)
	for i, a := range args {
		if !strings.Contains(a, "elsewhere") {
			args[i] = strings.Replace(a, p.dir, dir, 1)
		}
	}
	if code, _, stderr := podtrack(args...); code != 0 {
		return fmt.Errorf("%v again: exit code %d\n%s", args, code, stderr)
	}
	p.counted["done again"]++
	now, err := look(t.Context(), filepath.Join(dir, "store.db"))
	if err == nil && !now.equal(s.after) {
		err = fmt.Errorf("again: the store has %v, is to have %v", now, s.after)
	}
	return err
}
