package sweep

import (
	"fmt"
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
			progress := NewProgress(p, Shard{i, n})
			if err := progress.list(t.Context()); err != nil {
				t.Fatal(err)
			}
			numbers := progress.Remaining()
			for _, number := range numbers {
				seen[number]++
			}
			least, most = min(least, len(numbers)), max(most, len(numbers))
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
