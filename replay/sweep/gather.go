package sweep

import (
	"context"
	"os"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

// Gathered is what came together.
type Gathered struct {
	Parts   int     `json:"parts"`   // that all is taken of; they are gone
	Left    int     `json:"left"`    // that something of was not; they stay
	Records int     `json:"records"` // that came over
	Bytes   int64   `json:"bytes"`   // of those, as stored
	Runs    []Taken `json:"runs"`    // of those, what was not taken and why
}

// Taken is a run of a part that was not taken.
type Taken struct {
	Part string `json:"part"`
	tracker.CopiedRun
}

// Gather takes all parts into a store, which must be there. A part goes once all of
// it is on the store's disk. A run that has other heads in two places stays as it is
// in the store, and its part stays as well.
func (f Folder) Gather(ctx context.Context, store *tracker.Store, show func(done, total int)) (g Gathered, bad []error, err error) {
	parts, err := f.Parts()
	if err != nil {
		return g, nil, err
	}
	done := 0
	bad, err = eachPart(ctx, parts, true, func(p Part) error {
		if done++; show != nil {
			show(done, len(parts))
		}
		return g.take(ctx, p, store)
	})
	return g, bad, err
}

// Look adds to a ledger what the parts say that they have, and says how many there
// are. It does not read their records, of which there may be very many.
func (f Folder) Look(ctx context.Context, l *Ledger) (sound int, bad []error, err error) {
	parts, err := f.Parts()
	if err != nil {
		return 0, nil, err
	}
	bad, err = eachPart(ctx, parts, false, func(p Part) error {
		_, err := l.LookThrough(ctx, p.store())
		if err == nil {
			sound++
		}
		return err
	})
	return sound, bad, err
}

func (g *Gathered) take(ctx context.Context, p Part, store *tracker.Store) error {
	copied, err := tracker.Copy(ctx, p.store(), store, tracker.Copying{Vet: replay.Vet, Sealed: true})
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
			g.Runs = append(g.Runs, Taken{p.Path, r})
		}
	}
	if !whole {
		g.Left++
		return nil
	}
	g.Parts++
	return os.Remove(p.Path)
}
