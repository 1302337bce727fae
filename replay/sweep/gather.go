package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// GatherReport is what came together.
type GatherReport struct {
	Parts   int          `json:"parts"`   // that all is taken of; they are gone
	Left    int          `json:"left"`    // that something of was not; they stay
	Records int          `json:"records"` // that came over
	Bytes   int64        `json:"bytes"`   // of those, as stored
	Runs    []SkippedRun `json:"runs"`    // of those, what was not taken and why
	tracker.Leftovers
}

// SkippedRun is a run of a part that was not taken.
type SkippedRun struct {
	Part string `json:"part"`
	tracker.CopiedRun
}

// Gather takes all parts into a store, which must be there. A part goes once all of
// it is on the store's disk. A run that has other heads in two places stays as it is
// in the store, and its part stays as well. A part that is not what its seal says is
// set aside under another name, so that nobody counts on it. Its seal vouches for a
// part's records, unless each is to be proved once more; one that others can have
// sealed is left out otherwise.
func (f Folder) Gather(ctx context.Context, store *tracker.Store, prove bool, show func(done, total int)) (g GatherReport, bad []error, err error) {
	parts, err := f.Parts()
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

// setAside is Verify, and puts aside what it refuses.
func (p Part) verifyOrQuarantine(ctx context.Context) error {
	err := p.Verify(ctx)
	if errors.Is(err, ErrPart) && p.quarantine() == nil {
		err = schema.Hint(fmt.Errorf("%w; it is called …%s now", err, badSuffix), "%s", schema.Remedy(err))
	}
	return err
}

// rename gives the part its name aside, which may be there already.
func (p Part) quarantine() error {
	if err := os.Link(p.Path, p.Path+badSuffix); err != nil {
		return err
	}
	return os.Remove(p.Path)
}

// setAsideOwn is setAside of parts that nobody else can have sealed.
func (p Part) verifyOwnOrQuarantine(ctx context.Context) error {
	if err := p.verifyOrQuarantine(ctx); err != nil {
		return err
	}
	return p.CheckOwner()
}

// badSuffix is what the name of a part ends in that was found not to be one.
const badSuffix = ".bad"

// Look adds to a ledger what the parts say that they have, and says how many there
// are. It does not read their records, of which there may be very many.
func (f Folder) ScanParts(ctx context.Context, l *Progress) (sound int, bad []error, err error) {
	parts, err := f.Parts()
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

func (g *GatherReport) gatherPart(ctx context.Context, p Part, store *tracker.Store, prove bool) error {
	copied, err := tracker.Copy(ctx, p.open(), store, tracker.CopyOptions{Validate: replay.CheckImport, CheckShape: replay.NewFitFunc, Sealed: !prove})
	g.Records += copied.Records
	g.Bytes += copied.Bytes
	if err != nil {
		return err
	}
	whole := true
	for _, r := range copied.Runs {
		switch r.Outcome {
		case tracker.CopyNew, tracker.CopyCompleted, tracker.CopyPresent:
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
