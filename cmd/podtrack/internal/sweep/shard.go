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

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }
