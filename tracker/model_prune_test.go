package tracker_test

import (
	"context"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/rows"
)

// modelKinds has the kinds of the model's records.
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

// compact compacts the store, which must not change its contents.
func (m *model) compact(t *rapid.T) {
	records := 0
	must(t, m.s.View(context.Background(), func(tx *tracker.Tx) error {
		records = len(tx.Rows().Keys(rows.BucketRecords, nil))
		return nil
	}))
	c, err := backup.Compact(context.Background(), m.s, nil)
	must(t, err)
	same(t, "records", c.Records, records)
	same(t, "unused", c.Unused, 0)
}
