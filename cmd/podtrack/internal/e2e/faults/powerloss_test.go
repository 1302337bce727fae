package faults

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var cuts = flag.Int("cuts", schematest.Size(30, 60), "cut the power so many times")

// powered are commands one after the other, in a folder that is empty at first:
// store.db is made in it, and everything that changes a store is done to it.
var powered = []struct {
	args  []string
	spoil bool // take records out of the store before the command
}{
	{args: []string{"run", "--store", "STORE", "--bits", "6", "--steps", "2000", "--iterations", "2"}},
	{args: []string{"run", "--store", "STORE", "--seeds", "1-4", "--bits", "4", "--steps", "60", "--iterations", "3",
		"--json"}},
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
	t.Parallel()
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
			e2e.Must(t, p.next(d, i))
		}
	}
	t.Logf("%d calls, %d cuts: %v", len(p.calls), *cuts, p.counted)
	for _, what := range []string{"as before", "on the way", "as after"} {
		if p.counted[what] == 0 && *cuts >= 200 {
			t.Errorf("the store was never %s", what)
		}
	}
}

// instant returns the number of a call to cut the power before: every command is as
// likely as any other, however many calls it makes, and rather one that follows a
// change than one that follows a sync.
func (r *recording) instant(random *rand.Rand) (i int) {
	step := random.IntN(len(r.steps))
	first := slices.IndexFunc(r.calls, func(c poweredCall) bool { return c.step == step })
	end := first + 1
	for end < len(r.calls) && r.calls[end].step == step {
		end++
	}
	for range 3 {
		i = first + 1 + random.IntN(end-first)
		if !slices.Contains([]string{"openat", "fsync", "fdatasync"}, r.calls[i-1].name) {
			break
		}
	}
	return i
}

// cut takes the power away before call i, and looks at what is there then.
func (r *recording) cut(t *testing.T, d *disk, i int, random *rand.Rand) {
	t.Helper()
	chance := []float64{0, 0.1, 0.5, 0.9, 1}[random.IntN(5)]
	sector := []int64{512, 4 << 10}[random.IntN(2)]
	dir := filepath.Join(r.dir, "elsewhere", "cut")
	e2e.Must(t, os.MkdirAll(dir, 0o777))
	defer os.RemoveAll(dir)
	for name, content := range d.crash(random, chance, sector) {
		name = filepath.Join(dir, strings.TrimPrefix(name, r.dir))
		e2e.Must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		e2e.Must(t, os.WriteFile(name, content, 0o666))
	}
	if err := r.checkState(t, dir, i, random.IntN(8) == 0); err != nil {
		t.Errorf("cut before call %d, %v of what is not synced is there: %v", i, chance, err)
	}
}
