package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// GatherReport reports what was gathered.
type GatherReport struct {
	Parts   int          `json:"parts"`   // gathered completely, and removed
	Left    int          `json:"left"`    // gathered in part, and kept
	Records int          `json:"records"` // copied
	Bytes   int64        `json:"bytes"`   // of the copied records, as stored
	Runs    []SkippedRun `json:"runs"`    // runs that were skipped, with the reason
	tempfile.Leftovers
}

// SkippedRun is a run of a part that was not copied.
type SkippedRun struct {
	Part string `json:"part"`
	merge.CopiedRun
}

// Gather copies all parts into an existing store. It removes a part once all of it is on the
// store's disk. If a run has different heads in the store and in a part, both are kept. A part
// whose digest does not match is renamed, so that it is not used. The seal replaces the
// verification of a part's records unless prove is set; without prove, parts that others can have
// sealed are skipped.
func (f Folder) Gather(
	ctx context.Context, store *tracker.Store, prove bool, show func(done, total int),
) (g GatherReport, bad []error, err error) {
	parts, err := f.parts()
	if err != nil {
		return g, nil, err
	}
	g.Leftovers = f.RemoveTempFiles()
	done := 0
	verify := Part.verifyOrQuarantine
	if !prove {
		verify = Part.verifyOwnOrQuarantine
	}
	bad, err = forEachPart(ctx, parts, verify, func(p Part) error {
		if done++; show != nil {
			show(done, len(parts))
		}
		return g.gatherPart(ctx, p, store, prove)
	})
	return g, bad, err
}

// verifyOrQuarantine verifies the part's seal and renames the part if it does not match.
func (p Part) verifyOrQuarantine(ctx context.Context) error {
	err := p.Verify(ctx)
	if errors.Is(err, errPart) && p.quarantine() == nil {
		err = fmt.Errorf("%w; it is called …%s now", err, badSuffix)
	}
	return err
}

// quarantine renames the part so that it is not used. The new name may exist already.
func (p Part) quarantine() error {
	if err := os.Link(p.Path, p.Path+badSuffix); err != nil {
		return err
	}
	return os.Remove(p.Path)
}

// verifyOwnOrQuarantine does the same, and rejects parts that another user may have sealed.
func (p Part) verifyOwnOrQuarantine(ctx context.Context) error {
	if err := p.verifyOrQuarantine(ctx); err != nil {
		return err
	}
	return p.CheckOwner()
}

// badSuffix is appended to the name of a part whose seal does not match.
const badSuffix = ".bad"

// ScanParts adds the state of the parts' runs to p and returns the number of readable parts. It
// does not read their records, of which there may be many.
func (f Folder) ScanParts(ctx context.Context, l *Progress) (sound int, bad []error, err error) {
	parts, err := f.parts()
	if err != nil {
		return 0, nil, err
	}
	bad, err = forEachPart(ctx, parts, Part.checkReadable, func(p Part) error {
		_, err := l.ScanAll(ctx, p.open())
		if err == nil {
			sound++
		}
		return err
	})
	return sound, bad, err
}

// mergeInto copies runs from one store to another, all for nil. Those of a sealed part are not verified.
func mergeInto(ctx context.Context, to, from *tracker.Store, runs []schema.Digest, sealed bool) (merge.Report, error) {
	return merge.Run(ctx, from, to, merge.Options{
		Runs: runs, Validate: replay.CheckImport, CheckShape: recorded.NewFitFunc, Sealed: sealed,
	})
}

func (g *GatherReport) gatherPart(ctx context.Context, p Part, store *tracker.Store, prove bool) error {
	copied, err := mergeInto(ctx, store, p.open(), nil, !prove)
	g.Records += copied.Records
	g.Bytes += copied.Bytes
	if err != nil {
		return err
	}
	whole := true
	for _, r := range copied.Runs {
		switch r.Outcome {
		case merge.OutcomeNew, merge.OutcomeCompleted, merge.OutcomePresent:
		default:
			whole = false
			g.Runs = append(g.Runs, SkippedRun{p.Path, r})
		}
	}
	if !whole {
		g.Left++
		return nil
	}
	g.Parts++
	return os.Remove(p.Path)
}
