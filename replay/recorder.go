package replay

import (
	"context"

	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// recorder writes the results to the store.
type recorder struct {
	rw      *groupcommit.RunWriter
	data    [][]byte // imported records of the collect stage
	entries []schema.Entry
}

func (r *recorder) NeedsPart(string) bool { return true }

func (r *recorder) Imported(part int) ([]byte, error) {
	if part < len(r.data) {
		return r.data[part], nil
	}
	return nil, nil
}

func (r *recorder) Put(_ string, _ int, kind schema.Kind, record []byte) error {
	name, err := r.rw.Put(record)
	if err != nil {
		return err
	}
	r.entries = append(r.entries, schema.Entry{Kind: kind, Name: name})
	return nil
}

func (r *recorder) CheckpointDue() bool { return r.rw.CheckpointDue() }

func (r *recorder) FinishStage(_ context.Context, _ string, _ *stages.Iteration, err error) error {
	return err
}

// Save writes a checkpoint of the iteration between two units of work. An externally collected iteration gets none:
// asked again, the collector may return other transitions. A run without a step has nothing to save, and may start over
// with another program.
func (r *recorder) Save(it *stages.Iteration) error {
	isNew := it.RunState.K == 0 && len(r.entries) == 0 && (it.Stats == nil || it.StepsDone() == 0)
	if isNew || it.IsCollectedExternally() {
		return nil
	}
	state, err := it.EncodeState()
	if err != nil {
		return err
	}
	r.rw.SetPosition(it.Position)
	return r.rw.SealCheckpoint(state, r.entries)
}

// commit links the iteration to the previous one, commits it, and advances past it.
func (r *recorder) commit(it *stages.Iteration) error {
	p := it.RunState
	link, err := p.Run.Link(p.K, p.Link, r.entries)
	if err != nil {
		return err
	}
	cost := tracker.Cost{Stages: it.Cost}
	if err := r.rw.SealIteration(p.K, schema.Iteration{Link: link, Records: r.entries}, cost); err != nil {
		return err
	}
	it.Finish(link)
	return nil
}
