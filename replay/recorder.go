package replay

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// recorder writes the results to the store.
type recorder struct {
	rw      *tracker.RunWriter
	data    [][]byte // imported records of the collect stage
	entries []schema.Entry
}

func (r *recorder) needsPart(string) bool { return true }

func (r *recorder) imported(part int) ([]byte, error) {
	if part < len(r.data) {
		return r.data[part], nil
	}
	return nil, nil
}

func (r *recorder) put(_ string, _ int, kind schema.Kind, record []byte) error {
	name, err := r.rw.Put(record)
	if err != nil {
		return err
	}
	r.entries = append(r.entries, schema.Entry{Kind: kind, Name: name})
	return nil
}

func (r *recorder) checkpointDue() bool { return r.rw.CheckpointDue() }

func (r *recorder) finishStage(_ context.Context, _ string, _ *iteration, err error) error {
	return err
}

// save writes a checkpoint of the iteration between two units of work. An iteration that something else collects
// is recorded as a whole: it may collect other transitions when it is asked again. Of a run that has made no step
// there is nothing to save, and whatever program it has next may begin it.
func (r *recorder) save(it *iteration) error {
	isNew := it.runState.k == 0 && len(r.entries) == 0 && (it.stats == nil || it.stepsDone() == 0)
	if isNew || it.isCollectedExternally() {
		return nil
	}
	state, err := it.encodeState()
	if err != nil {
		return err
	}
	r.rw.SetPosition(it.position)
	return r.rw.SealCheckpoint(state, r.entries)
}

// commit links the iteration to the previous one, commits it, and advances past it.
func (r *recorder) commit(it *iteration) error {
	p := it.runState
	link, err := p.run.Link(p.k, p.link, r.entries)
	if err != nil {
		return err
	}
	cost := tracker.Cost{Stages: it.cost}
	if err := r.rw.SealIteration(p.k, schema.Iteration{Link: link, Records: r.entries}, cost); err != nil {
		return err
	}
	it.finish(link)
	return nil
}
