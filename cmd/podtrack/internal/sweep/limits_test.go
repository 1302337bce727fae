package sweep

import (
	"fmt"
	"os"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused.
func TestLimits(t *testing.T) {
	tags := func(n int) error {
		p := tinyPlan()
		p.Tags = nil
		for i := range n {
			p.Tags = append(p.Tags, fmt.Sprint("t", i))
		}
		return p.Check(t.Context())
	}
	shards := func(n int) error {
		s, err := ParseShard(fmt.Sprint("1/", n))
		if err == nil && s != (Shard{1, n}) {
			err = fmt.Errorf("shard %s", s)
		}
		return err
	}
	schematest.Limits{
		{"tags", "a sweep has at most 100", tags(maxTags), tags(maxTags + 1)},
		{"shards", "there can be 1000000", shards(MaxShards), shards(MaxShards + 1)},
	}.Check(t)
}

// TestFailuresLimit: all failures are counted, and as many as there may be are listed.
func TestFailuresLimit(t *testing.T) {
	for _, n := range []int{maxFailures - 1, maxFailures, maxFailures + 1} {
		var r Result
		for range n {
			r.add(replay.Job{Spec: tiny()}, replay.Outcome{Err: os.ErrInvalid})
		}
		if r.Failed != n || len(r.Failures) != min(n, maxFailures) {
			t.Errorf("of %d failures %d are counted, %d listed", n, r.Failed, len(r.Failures))
		}
	}
}
