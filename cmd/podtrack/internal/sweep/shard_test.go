package sweep

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// TestShardsDivide: the shards of a plan, however many, have each of its runs once,
// and about as many each.
func TestShardsDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seeds, err := runset.ParseSeeds(fmt.Sprintf("0-%d", rapid.IntRange(0, 29).Draw(t, "last seed")))
		if err != nil {
			t.Fatal(err)
		}
		p := &Plan{Plan: runset.Plan{Specs: []schema.Spec{pod.PaperSpec(), pod.PaperSpec()}, Seeds: seeds, Iterations: 1}}
		n := rapid.IntRange(1, 70).Draw(t, "n")
		seen, least, most := make([]int, p.Len()), p.Len(), 0
		for i := range n {
			size := 0
			for number := range p.runs(Shard{i, n}) {
				seen[number]++
				size++
			}
			least, most = min(least, size), max(most, size)
		}
		if most-least > 1 {
			t.Fatalf("shards of %d to %d runs", least, most)
		}
		for number, times := range seen {
			if times != 1 {
				t.Fatalf("run %d is in %d shards", number, times)
			}
		}
	})
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": WholePlan, "3/8": {3, 8}, "999999/1000000": {999_999, MaxShards}} {
		if s, err := ParseShard(text); err != nil || s != want || s.String() != text {
			t.Errorf("%s reads as %v, %v", text, s, err)
		}
	}
	for _, text := range []string{
		"", "/", "1", "1/", "/1", "8/8", "9/8", "-1/8", "1/-8", "0/0", "x/8", "1/x", "1/2/3", " 1/2", "1 / 2",
		"0/1000001", "1.0/2", "99999999999999999999/2",
	} {
		if s, err := ParseShard(text); err == nil || schema.Remedy(err) == "" {
			t.Errorf("%q reads as %v, %v", text, s, err)
		}
	}
}

// TestSlurmShard: what Slurm 22.05 sets in the tasks of arrays. MIN, MAX, COUNT and
// STEP are the submitted array's, and STEP is 1 for lists: see sbatch(1).
func TestSlurmShard(t *testing.T) {
	for name, c := range map[string]struct {
		env   string // without SLURM_ARRAY_TASK_
		want  string // "" for an error
		found bool
	}{
		"no task":                   {"", "0/0", false},
		"no task of an array":       {"MIN=0 MAX=3 COUNT=4", "0/0", false},
		"--array=0-5%2, the first":  {"ID=0 MIN=0 MAX=5 COUNT=6 STEP=1", "0/6", true},
		"--array=0-5%2, the last":   {"ID=5 MIN=0 MAX=5 COUNT=6 STEP=1", "5/6", true},
		"--array=0":                 {"ID=0 MIN=0 MAX=0 COUNT=1 STEP=1", "0/1", true},
		"--array=1-4 counts from 1": {"ID=4 MIN=1 MAX=4 COUNT=4 STEP=1", "3/4", true},
		"--array=1,4,7":             {"ID=4 MIN=1 MAX=7 COUNT=3 STEP=1", "", true},
		"--array=2-10:4":            {"ID=6 MIN=2 MAX=10 COUNT=3 STEP=4", "", true},
		"no COUNT":                  {"ID=1 MIN=0 MAX=3", "", true},
		"no MIN":                    {"ID=1 MAX=3 COUNT=4", "", true},
		"no number":                 {"ID=x MIN=0 MAX=3 COUNT=4", "", true},
		"an empty MAX":              {"ID=1 MIN=0 MAX= COUNT=4", "", true},
		"not among them":            {"ID=9 MIN=0 MAX=3 COUNT=4", "", true},
		"before them":               {"ID=0 MIN=1 MAX=4 COUNT=4", "", true},
		"none at all":               {"ID=0 MIN=0 MAX=-1 COUNT=0", "", true},
		"too large for a number":    {"ID=0 MIN=-9223372036854775808 MAX=9223372036854775807 COUNT=0", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			for _, pair := range strings.Fields(c.env) {
				key, value, _ := strings.Cut(pair, "=")
				env["SLURM_ARRAY_TASK_"+key] = value
			}
			s, found, err := SlurmShard(func(key string) string { return env[key] })
			if found != c.found {
				t.Errorf("found: %v", found)
			}
			if c.want == "" && (err == nil || schema.Remedy(err) == "") {
				t.Errorf("%v, %v: no error with a remedy", s, err)
			}
			if c.want != "" && (err != nil || s.String() != c.want) {
				t.Errorf("%v, %v; want %s", s, err, c.want)
			}
		})
	}
}
