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
	verify := Part.setAside
	if !prove {
		verify = Part.setAsideOwn
	}
	bad, err = eachPart(ctx, parts, verify, func(p Part) error {
		if done++; show != nil {
			show(done, len(parts))
		}
		return g.take(ctx, p, store, prove)
	})
	return g, bad, err
}

// setAside is Verify, and puts aside what it refuses.
func (p Part) setAside(ctx context.Context) error {
	err := p.Verify(ctx)
	if errors.Is(err, ErrPart) && p.rename() == nil {
		err = schema.Hint(fmt.Errorf("%w; it is called …%s now", err, aside), "%s", schema.Remedy(err))
	}
	return err
}

// rename gives the part its name aside, which may be there already.
func (p Part) rename() error {
	if err := os.Link(p.Path, p.Path+aside); err != nil {
		return err
	}
	return os.Remove(p.Path)
}

// setAsideOwn is setAside of parts that nobody else can have sealed.
func (p Part) setAsideOwn(ctx context.Context) error {
	if err := p.setAside(ctx); err != nil {
		return err
	}
	return p.CheckOwner()
}

// aside is what the name of a part ends in that was found not to be one.
const aside = ".bad"

// Look adds to a ledger what the parts say that they have, and says how many there
// are. It does not read their records, of which there may be very many.
func (f Folder) ScanParts(ctx context.Context, l *Progress) (sound int, bad []error, err error) {
	parts, err := f.Parts()
	if err != nil {
		return 0, nil, err
	}
	bad, err = eachPart(ctx, parts, Part.checkReadable, func(p Part) error {
		_, err := l.ScanAll(ctx, p.store())
		if err == nil {
			sound++
		}
		return err
	})
	return sound, bad, err
}

func (g *GatherReport) take(ctx context.Context, p Part, store *tracker.Store, prove bool) error {
	copied, err := tracker.Copy(ctx, p.store(), store, tracker.CopyOptions{Validate: replay.CheckImport, CheckShape: replay.NewFitFunc, Sealed: !prove})
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
