package stages

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// collectImported replaces the collect stage if the iteration has imported data. It does not check
// the context in between: a checkpoint holds all of the data or none.
func (it *Iteration) collectImported() error {
	for {
		it.report(Collect, it.Stats.Steps(), it.RunState.Spec().Steps)
		record, err := it.sink.Imported(len(it.data))
		if err != nil {
			return err
		}
		if record == nil {
			return it.verifyImported()
		}
		kind, err := it.addImported(record)
		if err != nil {
			return err
		}
		if err := it.sink.Put(Collect, len(it.data)-1, kind, record); err != nil {
			return err
		}
	}
}

// addImported adds a record of the imported data.
func (it *Iteration) addImported(record []byte) (schema.Kind, error) {
	kind, err := schema.ReadKind(record)
	if err != nil {
		return "", err
	}
	if kind == schema.KindRows {
		err = it.addRows(record)
	} else {
		err = it.addChunk(record)
	}
	it.data = append(it.data, schema.Entry{Kind: kind, Name: schema.Name(record)})
	it.Chunks++
	return kind, err
}

func (it *Iteration) addRows(record []byte) error {
	rows, err := schema.DecodeRows(record)
	if err != nil {
		return err
	}
	return it.Stats.AddRows(&rows)
}

// addChunk adds imported transitions. They need not start in the environment's start state.
func (it *Iteration) addChunk(record []byte) error {
	t, err := schema.DecodeTransitions(record)
	if err != nil {
		return err
	}
	if len(it.data) == 0 {
		if err := recorded.CheckStart(it.RunState.Env, &t); err != nil {
			return err
		}
		it.Stats = it.RunState.NewStats(int(t.Start))
	}
	if err := it.Stats.Add(&t); err != nil {
		return err
	}
	it.Agent.State = it.Stats.State()
	it.beginChunk()
	return nil
}

// verifyImported compares the imported data with the digest and the number of steps in the spec.
func (it *Iteration) verifyImported() error {
	spec := it.RunState.Spec()
	digest, err := schema.DataDigest(it.data)
	if err != nil {
		return err
	}
	if digest != spec.Data || it.Stats.Steps() != spec.Steps {
		return NewNoDataError(fmt.Errorf("%d steps in %d records with digest %.12s, want %d steps with digest %.12s",
			it.Stats.Steps(), len(it.data), digest, spec.Steps, spec.Data))
	}
	return nil
}

func NewNoDataError(err error) error {
	return schema.Advise(fmt.Errorf("%w: %w", err, ErrNoData), AdviceImportFirst)
}

// ErrNoData is the error of a run whose imported data are missing or are not the data that its spec names.
var ErrNoData = errors.New("the spec's data are missing")
