package tracker_test

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/rows"
)

// modelKinds has the kinds of the model's records. One is never pruned.
var modelKinds = map[string]schema.Kind{
	"a": schema.KindTransitions, "b": schema.KindFactors, "c": schema.KindValue,
	"d": schema.KindValue, "e": schema.KindOption, "f": schema.KindMeasures,
}

func modelEntries(names []schema.Digest) []schema.Entry {
	list := []schema.Entry{}
	for _, name := range names {
		list = append(list, schema.Entry{Kind: modelKind(name), Name: name})
	}
	return list
}

func modelKind(name schema.Digest) schema.Kind {
	for text, kind := range modelKinds {
		if schema.Name([]byte(text)) == name {
			return kind
		}
	}
	panic("no record of the model")
}

// retains reports whether the run retains the records of a kind in iteration k.
func (m *modelRun) retains(k int, kind schema.Kind) bool {
	if m.keep == nil || kind == schema.KindMeasures {
		return true
	}
	last, unfinished := m.keep.Last, len(m.iterations) < m.target
	if unfinished {
		last = max(last, 1)
	}
	return slices.Contains(m.keep.Kinds, kind) || k >= len(m.iterations)-last || unfinished && kind == schema.KindOption
}

// pruneRecord prunes a record that is named but not retained, and forgets one that is not named.
func (m *model) pruneRecord(name schema.Digest) {
	isNamed, isKept := false, false
	for _, r := range m.runs {
		for k, names := range r.iterations {
			if slices.Contains(names, name) {
				isNamed, isKept = true, isKept || r.retains(k, modelKind(name))
			}
		}
		if slices.Contains(r.open, name) {
			isNamed, isKept = true, true
		}
	}
	switch {
	case !isNamed:
		delete(m.pruned, name)
	case !isKept:
		m.pruned[name] = true
	}
}

// pruneRun prunes the records that a run lists and does not retain.
func (m *model) pruneRun(r *modelRun) {
	for k, names := range r.iterations {
		for _, name := range names {
			if !r.retains(k, modelKind(name)) {
				m.pruneRecord(name)
			}
		}
	}
}

// prune sets the retentions of some runs, or uses those that they have.
func (m *model) prune(t *rapid.T) {
	var o gc.PruneOptions
	var chosen []*modelRun
	for _, r := range m.runs {
		if rapid.Bool().Draw(t, "prune") {
			chosen, o.Runs = append(chosen, r), append(o.Runs, r.id)
		}
	}
	if rapid.Bool().Draw(t, "says") {
		o.Retention = &tracker.Retention{Last: rapid.IntRange(0, 3).Draw(t, "last")}
		for _, kind := range tracker.PrunableKinds {
			if rapid.Bool().Draw(t, string(kind)) {
				o.Retention.Kinds = append(o.Retention.Kinds, kind)
			}
		}
	}
	o.DryRun = true
	would, err := gc.Prune(context.Background(), m.s, o)
	must(t, err)
	m.check(t)
	o.DryRun = false
	did, err := gc.Prune(context.Background(), m.s, o)
	must(t, err)
	same(t, "records that go", did.Records, would.Records)
	same(t, "bytes that go", did.Bytes, would.Bytes)
	for _, r := range chosen {
		if o.Retention != nil {
			r.keep = o.Retention
			if o.Retention.KeepsEverything() {
				r.keep = nil
			}
		}
	}
	for _, r := range chosen {
		m.pruneRun(r)
	}
	again, err := gc.Prune(context.Background(), m.s, o)
	must(t, err)
	same(t, "records that go again", again.Records, 0)
}

// compact compacts the store, which must not change its contents.
func (m *model) compact(t *rapid.T) {
	records := 0
	must(t, m.s.View(context.Background(), func(tx *tracker.Tx) error {
		records = len(tx.Rows().Keys(rows.BucketRecords, nil))
		return nil
	}))
	c, err := backup.Compact(context.Background(), m.s, backup.CompactOptions{})
	must(t, err)
	same(t, "records", c.Records, records)
	same(t, "unused", c.Unused, 0)
}
