package merge

import (
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/verify"
)

// copier is the state of a running copy. Three goroutines form a pipeline: one surveys runs
// (survey.go), one reads and verifies them (load.go), and the caller's goroutine writes
// (write.go).
type copier struct {
	from, to    *tracker.Store
	validate    func(tracker.Run) error
	checkShape  func(tracker.Run) tracker.ShapeCheck
	progress    func(done, total int)
	verifier    *verify.Verifier // of the loading goroutine
	ourVerifier *verify.Verifier // of the surveying goroutine, nil unless Heal is set
	sizer       tracker.TxSizer  // of the writing goroutine

	runs    []*CopiedRun // each is owned by the goroutine that has its reader or segments
	records int
	bytes   int64
	healed  int
}

func (c *copier) result() Report {
	done := Report{Runs: []CopiedRun{}, Records: c.records, Bytes: c.bytes, Healed: c.healed}
	for _, r := range c.runs {
		if r.settled {
			done.Runs = append(done.Runs, *r)
		}
	}
	return done
}
