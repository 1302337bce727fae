package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// Shard is part I of N, from 0: every N-th run of a plan from the I-th on. Each shard has seeds of
// every spec, so that all take about the same time.
type Shard struct{ I, N int }

// WholePlan is the shard that contains the whole plan.
var WholePlan = Shard{0, 1}

// MaxShards limits N.
const MaxShards = 1_000_000

// ParseShard parses i/n.
func ParseShard(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	var s Shard
	var err1, err2 error
	s.I, err1 = strconv.Atoi(i)
	s.N, err2 = strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || s.N < 1 || s.N > MaxShards || s.I < 0 {
		return s, schema.Hint(fmt.Errorf("invalid shard %q", text),
			"write it as i/n: part i, from 0, of n parts, such as 0/8 to 7/8; there can be %d", MaxShards)
	}
	return s, s.check()
}

func (s Shard) check() error {
	if s.I >= s.N {
		return schema.Hint(fmt.Errorf("shard %s: there is no such part", s), "the parts of %d are 0/%d to %d/%d", s.N,
			s.N, s.N-1, s.N)
	}
	return nil
}

// overlaps reports whether the shards of some plan have runs in common.
func (s Shard) overlaps(t Shard) bool {
	a, b := s.N, t.N
	for b != 0 {
		a, b = b, a%b
	}
	return (s.I-t.I)%a == 0
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }

// SlurmShard returns the shard of a task of a Slurm job array, false if the variables are not set.
// It requires an array without gaps.
func SlurmShard(getenv func(string) string) (Shard, bool, error) {
	id := getenv("SLURM_ARRAY_TASK_ID")
	if id == "" {
		return Shard{}, false, nil
	}
	numbers := map[string]int{}
	for _, name := range []string{"ID", "MIN", "MAX", "COUNT"} {
		text := getenv("SLURM_ARRAY_TASK_" + name)
		n, err := strconv.Atoi(text)
		if err != nil {
			return Shard{}, true, schema.Advise(fmt.Errorf("SLURM_ARRAY_TASK_%s=%q", name, text), AdviceShard)
		}
		numbers[name] = n
	}
	s := Shard{numbers["ID"] - numbers["MIN"], numbers["COUNT"]}
	if span := numbers["MAX"] - numbers["MIN"] + 1; span != s.N || s.I < 0 || s.N < 1 || s.N > MaxShards {
		return s, true, schema.Advise(fmt.Errorf("a job array of %d tasks from %d to %d", s.N, numbers["MIN"],
			numbers["MAX"]), AdviceShardOfArray)
	}
	return s, true, s.check()
}
