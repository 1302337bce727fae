package why

import (
	"context"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
)

// Option audits the option of a run that has that number, back to the first transitions: see
// [replay.Option].
func Option(ctx context.Context, run *replay.Run, number int) (*Report, error) {
	opened, err := diff.OpenRecorded(ctx, run)
	if err != nil {
		return nil, err
	}
	ref, err := opened.ResolveRef(ctx, report.Ref{Run: opened.Label(), ByNumber: true, Number: number})
	if err != nil {
		return nil, err
	}
	return Explain(ctx, opened, Question{Ref: ref})
}
