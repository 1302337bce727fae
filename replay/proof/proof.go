package proof

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/excerpt"
)

// note says which option an excerpt proves, and which program wrote it.
type note struct {
	K       int    `cbor:"k"`
	J       int    `cbor:"j"`
	Sign    int    `cbor:"sign"`
	Program string `cbor:"program"`
}

// maxProgram bounds the length in bytes of the text that names a program.
const maxProgram = 200

// Write writes the evidence for the option that ref names. program is a text that names the writing program.
func Write(ctx context.Context, w io.Writer, s *tracker.Store, ref report.Ref, program string) error {
	run, err := report.Open(ctx, s, ref.Run)
	if err != nil {
		return err
	}
	if ref, err = report.ResolveRef(run, ref); err != nil {
		return err
	}
	at, err := report.FindPurpose(run, ref)
	if err != nil {
		return err
	}
	text, err := wire.Marshal(note{ref.K, ref.J, ref.Sign, program})
	if err != nil {
		return err
	}
	it := run.Iterations[ref.K]
	var own []schema.Digest // the records of the option, and of its values or weights; none if there are no options
	if options := it.RecordsOf(schema.KindOption); at < len(options) {
		own = append(own, options[at])
	}
	if learned := recorded.LearnedEntries(it); at < len(learned) {
		own = append(own, learned[at].Name)
	}
	// An audit reads the data and the factors of all iterations up to the option's, by which options are named and
	// followed to their ancestors; the option itself; and all observations, without which an environment's states have
	// no numbers.
	keep := func(k, _ int, e schema.Entry) bool {
		switch e.Kind {
		case schema.KindObservations:
			return true
		case schema.KindTransitions, schema.KindRows, schema.KindFactors, schema.KindSelection:
			return k <= ref.K
		}
		return k == ref.K && slices.Contains(own, e.Name)
	}
	return tracker.WithRepairHint(excerpt.Write(ctx, w, s, run.ID, text, keep), run.Label())
}

// Evidence is a verified excerpt, in a store of its own.
type Evidence struct {
	excerpt.Contents
	Ref     report.Ref        // the option
	Program string            // that wrote it, by its own account
	Opened  *recorded.Records // the run in that store
}

// Open verifies an excerpt that [Write] wrote, and writes it into a store, which must be empty. It
// returns a [replay.ErrUnverifiable] for a run that this program cannot compute again.
func Open(ctx context.Context, r io.Reader, to *tracker.Store) (*Evidence, error) {
	c, err := excerpt.Read(ctx, r, to, excerpt.Options{Validate: validate, CheckShape: recorded.NewFitFunc})
	if err != nil {
		return nil, err
	}
	var n note
	if err := wire.Unmarshal(c.Note, &n); err != nil {
		return nil, fmt.Errorf("%w: %w", err, tracker.ErrDamaged)
	}
	if n.K < 0 || n.K >= len(c.Iterations) || n.J < 1 || n.Sign*n.Sign != 1 {
		return nil, fmt.Errorf("it names no option: %w", tracker.ErrDamaged)
	}
	if len(n.Program) > maxProgram {
		return nil, fmt.Errorf("the name of its program has %d bytes, more than %d: %w", len(n.Program), maxProgram,
			tracker.ErrDamaged)
	}
	e := &Evidence{Contents: c, Program: n.Program}
	e.Ref = report.Ref{Run: c.Run.ID.String(), K: n.K, J: n.J, Sign: n.Sign}
	e.Opened, err = report.Open(ctx, to, e.Ref.Run)
	return e, err
}

// validate returns an error for a run that this program cannot compute again.
func validate(run tracker.Run) error {
	if err := replay.CheckRecomputable(run); err != nil {
		return err
	}
	return replay.CheckImport(run)
}

// Record is a record whose bytes the evidence has.
type Record struct {
	K      int           `json:"k"`
	Kind   schema.Kind   `json:"kind"`
	Digest schema.Digest `json:"digest"`
	Bytes  int64         `json:"bytes"`
}

// Records lists the records whose bytes the evidence has, each in the first iteration that lists it.
func (e *Evidence) Records(ctx context.Context) (records []Record, err error) {
	seen := map[schema.Digest]bool{}
	err = e.Opened.View(func(tx *tracker.Tx) error {
		for k, it := range e.Iterations {
			for _, entry := range it.Records {
				if seen[entry.Name] || !tx.Rows().HasRecord(entry.Name) {
					continue
				}
				raw, _, err := tx.RecordSizes(entry.Name)
				if err != nil {
					return err
				}
				seen[entry.Name], records = true, append(records, Record{k, entry.Kind, entry.Name, raw})
			}
		}
		return nil
	})
	return records, err
}
