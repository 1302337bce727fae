package replay

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// stageSink is what becomes of the work on an iteration: running and replaying
// differ in nothing else. A part is a chunk of transitions or a signed purpose,
// counted from 0; stages of one result have the part 0.
type stageSink interface {
	// wants says whether to do the next part of a stage.
	needsPart(stage string) bool
	// given is a part of what the collect stage is given instead of walking, nil
	// after the last one.
	imported(part int) ([]byte, error)
	// put takes what a stage made. The bytes are the caller's again afterwards.
	put(stage string, part int, kind schema.Kind, record []byte) error
	// due says that it is time for a checkpoint, and save makes one.
	checkpointDue() bool
	save(*iteration) error
	// settle follows each stage with the error that it ended in.
	finishStage(stage string, it *iteration, err error) error
}

// recorder keeps the work in the store.
type recorder struct {
	rw      *tracker.RunWriter
	data    [][]byte // that the collect stage is given
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

func (r *recorder) finishStage(_ string, _ *iteration, err error) error { return err }

// save seals a checkpoint of the iteration as it stands between units of work.
func (r *recorder) save(it *iteration) error {
	state, err := it.encodeState()
	if err != nil {
		return err
	}
	r.rw.SetPosition(it.position)
	return r.rw.SealCheckpoint(state, r.entries)
}

// commit links the iteration to its past, seals it, and goes past it.
func (r *recorder) commit(it *iteration) error {
	p := it.runState
	link, err := p.computeLink(r.entries)
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
