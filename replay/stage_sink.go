package replay

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// stageSink receives the results of an iteration's stages: running and replaying differ in nothing
// else. A part is a chunk of transitions or a signed purpose, counted from 0; a stage with one
// result has only part 0.
type stageSink interface {
	// needsPart reports whether the next part of a stage has to be computed.
	needsPart(stage string) bool
	// imported returns a part of the iteration's imported data, nil after the last one.
	imported(part int) ([]byte, error)
	// put takes a record of a stage. It does not retain the bytes.
	put(stage string, part int, kind schema.Kind, record []byte) error
	// checkpointDue reports whether it is time for a checkpoint; save writes one.
	checkpointDue() bool
	save(*iteration) error
	// finishStage is called after each stage, with the stage's error.
	finishStage(stage string, it *iteration, err error) error
}

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

func (r *recorder) finishStage(_ string, _ *iteration, err error) error { return err }

// save writes a checkpoint of the iteration between two units of work.
func (r *recorder) save(it *iteration) error {
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
