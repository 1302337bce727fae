package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// beginExternally asks an external collector for the first steps, and returns a function that takes the next ones.
func (i *Iteration) beginExternally(ctx context.Context) (take func(context.Context, int) error, err error) {
	p := i.RunState
	c := &pod.ExternalCollector{
		Spec: p.Spec(), K: p.K, Env: p.Env, Options: i.Agent.Options, State: p.State, Stages: i.StageFuncs,
		Rewards: i.Agent.Rewards, Link: p.Link,
	}
	start, err := c.Begin(ctx, int(min(sliceSteps, p.Spec().Steps)))
	if err != nil {
		return nil, err
	}
	i.beginAt(start)
	return func(ctx context.Context, n int) error {
		err := c.Append(ctx, &i.chunk, n)
		i.Agent.State = c.StateNow()
		return err
	}, nil
}

// collectImported replaces the collect stage if the iteration has imported data. It does not check
// the context in between: a checkpoint holds all of the data or none.
func (i *Iteration) collectImported() error {
	for {
		i.report(Collect, i.Stats.Steps(), i.RunState.Spec().Steps)
		record, err := i.sink.Imported(len(i.data))
		if err != nil {
			return err
		}
		if record == nil {
			return i.verifyImported()
		}
		kind, err := i.addImported(record)
		if err != nil {
			return err
		}
		if err := i.sink.Put(Collect, len(i.data)-1, kind, record); err != nil {
			return err
		}
	}
}

// addImported adds a record of the imported data.
func (i *Iteration) addImported(record []byte) (schema.Kind, error) {
	kind, err := schema.ReadKind(record)
	if err != nil {
		return "", err
	}
	if kind == schema.KindRows {
		var rows schema.Rows
		if rows, err = schema.DecodeRows(record); err == nil {
			err = i.Stats.AddRows(&rows)
		}
	} else {
		err = i.addChunk(record)
	}
	i.data = append(i.data, schema.Entry{Kind: kind, Name: schema.Name(record)})
	i.Chunks++
	return kind, err
}

// addChunk adds imported transitions. They need not start in the environment's start state.
func (i *Iteration) addChunk(record []byte) error {
	t, err := schema.DecodeTransitions(record)
	if err != nil {
		return err
	}
	if len(i.data) == 0 {
		if err := recorded.CheckStart(i.RunState.Env, &t); err != nil {
			return err
		}
		i.Stats = i.RunState.NewStats(int(t.Start))
	}
	if err := i.Stats.Add(&t); err != nil {
		return err
	}
	i.Agent.State = i.Stats.State()
	i.beginChunk()
	return nil
}

// verifyImported compares the imported data with the digest and the number of steps in the spec.
func (i *Iteration) verifyImported() error {
	spec := i.RunState.Spec()
	digest, err := schema.DataDigest(i.data)
	if err != nil {
		return err
	}
	if digest != spec.Data || i.Stats.Steps() != spec.Steps {
		return NewNoDataError(fmt.Errorf("%d steps in %d records with digest %.12s, want %d steps with digest %.12s",
			i.Stats.Steps(), len(i.data), digest, spec.Steps, spec.Data))
	}
	return nil
}

func NewNoDataError(err error) error {
	return schema.Hint(fmt.Errorf("%w: %w", err, ErrNoData), AdviceImportFirst)
}

// ErrNoData is the error of a run whose imported data are missing or are not the data that its spec names.
var ErrNoData = errors.New("the spec's data are missing")
