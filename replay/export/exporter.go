package export

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// exporter writes one run.
type exporter struct {
	view tracker.Viewer // a transaction to read in
	run  report.Run
	out  *npz
	only []string
	env  pod.Env // as known after the iteration that is written

	chosen []int // iterations to write, all if empty

	records    *replay.Records
	known      *replay.Records    // as after the iteration that is written
	iterations []schema.Iteration // those that are written
	explored   *explore.Run       // nil until it is needed
}

// load reads one record in its own transaction.
func load[T any](x *exporter, name schema.Digest, decode func([]byte) (T, error)) (v T, err error) {
	err = x.view(func(tx *tracker.Tx) error {
		v, err = tracker.Load(tx, name, decode)
		return err
	})
	return v, err
}
