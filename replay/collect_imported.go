package replay

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// collectImported replaces the collect stage if the iteration has imported data. It does not check
// the context in between: a checkpoint holds all of the data or none.
func (it *iteration) collectImported() error {
	for {
		it.report(StageCollect, it.stats.Steps(), it.runState.spec().Steps)
		record, err := it.sink.imported(len(it.data))
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
		if err := it.sink.put(StageCollect, len(it.data)-1, kind, record); err != nil {
			return err
		}
	}
}

// addImported adds a record of the imported data.
func (it *iteration) addImported(record []byte) (schema.Kind, error) {
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
	it.chunks++
	return kind, err
}

func (it *iteration) addRows(record []byte) error {
	rows, err := schema.DecodeRows(record)
	if err != nil {
		return err
	}
	return it.stats.AddRows(&rows)
}

// addChunk adds imported transitions. They need not start in the environment's start state.
func (it *iteration) addChunk(record []byte) error {
	t, err := schema.DecodeTransitions(record)
	if err != nil {
		return err
	}
	if len(it.data) == 0 {
		if err := checkStart(it.runState.env, &t); err != nil {
			return err
		}
		it.stats = it.runState.newStats(int(t.Start))
	}
	if err := it.stats.Add(&t); err != nil {
		return err
	}
	it.agent.State = it.stats.State()
	it.beginChunk()
	return nil
}

// verifyImported compares the imported data with the digest and the number of steps in the spec.
func (it *iteration) verifyImported() error {
	spec := it.runState.spec()
	digest, err := schema.DataDigest(it.data)
	if err != nil {
		return err
	}
	if digest != spec.Data || it.stats.Steps() != spec.Steps {
		return newNoDataError(fmt.Errorf("%d steps in %d records of digest %.12s, for %d steps of digest %.12s",
			it.stats.Steps(), len(it.data), digest, spec.Steps, spec.Data))
	}
	return nil
}

func newNoDataError(err error) error {
	return schema.Advise(fmt.Errorf("%w: %w", err, ErrNoData), AdviceImportFirst)
}

// ErrNoData is the error of a run whose imported data are missing, or differ from those that its
// spec names.
var ErrNoData = errors.New("the spec's data are missing")
