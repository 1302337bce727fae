package report_test

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestSeriesOfManyIterations: of more iterations than asked for it has some, evenly, and the last one.
func TestSeriesOfManyIterations(t *testing.T) {
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	writer, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: pod.PaperSpec(), Target: 10})
	must(err)
	for k := range 10 {
		record, err := schema.Measures{Purposes: int64(k)}.Encode()
		must(err)
		name, err := writer.Put(record)
		must(err)
		must(writer.SealIteration(k, schema.Iteration{Link: schema.Name(record),
			Records: []schema.Entry{{Kind: schema.KindMeasures, Name: name}}}, tracker.Cost{Stages: map[string]int64{}}))
	}
	writer.Release(nil)
	must(w.Close(t.Context()))
	must(store.View(t.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, "@1")
		if err != nil {
			return err
		}
		series := report.LoadSeries(tx, run, []string{"purposes", "colour"}, 4)
		var got []float64
		for _, value := range series["purposes"] {
			got = append(got, *value)
		}
		if len(got) != 4 || got[0] != 1 || got[1] != 4 || got[2] != 6 || got[3] != 9 || len(series) != 1 {
			t.Errorf("%v of %d series", got, len(series))
		}
		return nil
	}))
}
