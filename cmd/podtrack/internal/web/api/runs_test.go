package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// runsPage is what /api/runs answers.
type runsPage struct {
	Total    int
	Revision string
	Runs     []report.Run
}

func listed(t testing.TB, h http.Handler, query string) (p runsPage) {
	t.Helper()
	w := ask(h, "/api/runs"+query)
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 200 || p.Runs == nil {
		t.Fatalf("%s: status %d, %v: %s", query, w.Code, err, w.Body)
	}
	return p
}

func seeds(runs []report.Run) []uint64 {
	list := []uint64{}
	for _, r := range runs {
		list = append(list, r.Seed)
	}
	return list
}

// TestRunPages goes through the runs page by page, before and after one is added.
func TestRunPages(t *testing.T) {
	store := filled(t)
	h := New(optionsFor(store))
	for query, want := range map[string][]uint64{
		"?sort=seed": {0, 1, 2}, "?sort=-seed": {2, 1, 0}, "?sort=seed&limit=2": {0, 1}, "?sort=seed&limit=2&offset=2": {2},
		"?offset=3": {}, "?offset=99": {}, "?limit=0": {}, "?q=seed%3D1-2&sort=seed": {1, 2}, "?q=seed%3D7": {},
		"?q=seed%3D1&q=bits%3D7": {1},
	} {
		for range 2 { // read, and kept
			if got := listed(t, h, query); !slices.Equal(seeds(got.Runs), want) {
				t.Errorf("%s: seeds %v, want %v", query, seeds(got.Runs), want)
			}
		}
	}
	before := listed(t, h, "?sort=seed")
	perform(t, store, 1, small(3))
	after := listed(t, h, "?sort=seed")
	if before.Total != 3 || after.Total != 4 || before.Revision == after.Revision || len(after.Runs) != 4 {
		t.Errorf("%d runs of revision %s, then %d of %s", before.Total, before.Revision, after.Total, after.Revision)
	}
	for _, query := range []string{"?sort=nothing", "?limit=1001", "?limit=-1", "?offset=-1", "?offset=x", "?q=foo%3D1",
		"?q=seed%3D1&q=@1", "?sort=seed&sort=name", "?s=1", "?q=%zz", "?q=a;b", "?q=%ff%3D1"} {
		wantFailure(t, ask(h, "/api/runs"+query), 400)
	}
	f := wantFailure(t, ask(h, "/api/runs?sort=-entropy"), 400)
	if !strings.HasPrefix(f.Remedy, "podtrack ls --sort entropy does") {
		t.Errorf("the remedy of what lists are not sorted by: %s", f.Remedy)
	}
}

// TestGroupKeepsOrder has a group put runs into its own order, which must not be
// that of a list which is kept.
func TestGroupKeepsOrder(t *testing.T) {
	h := New(optionsFor(filled(t)))
	want := seeds(listed(t, h, "?q=bits%3D7").Runs)
	if w := ask(h, "/api/group?q=bits%3D7"); w.Code != 200 {
		t.Fatal(w.Body)
	}
	if got := seeds(listed(t, h, "?q=bits%3D7").Runs); !slices.Equal(got, want) {
		t.Errorf("seeds %v, then %v", want, got)
	}
}

// TestFields counts the values of fields, more of one than are listed.
func TestFields(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	spec := small(0)
	for seed := range uint64(maxValues + 7) {
		spec.Seed = seed
		perform(t, store, 1, spec)
	}
	w := ask(New(optionsFor(store)), "/api/fields?q=env%3Dring")
	var fields []field
	ok(t, json.Unmarshal(w.Body.Bytes(), &fields))
	for _, f := range fields {
		switch f.Field {
		case "seed":
			if len(f.Values) != maxValues || f.More != 7 || f.Values[2] != (report.Value{Value: "2", Term: "seed=2", Runs: 1}) {
				t.Errorf("seeds: %d and %d more, %v", len(f.Values), f.More, f.Values[:3])
			}
		case "bits":
			if !slices.Equal(f.Values, []report.Value{{Value: "7", Term: "bits=7", Runs: maxValues + 7}}) || f.More != 0 {
				t.Errorf("bits: %v", f)
			}
		}
	}
	if len(fields) < 10 {
		t.Errorf("only %d fields", len(fields))
	}
}

// measured returns a store of so many runs of six iterations that have measures and nothing else.
func measured(t testing.TB, runs int) *tracker.Store {
	t.Helper()
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	for seed := range runs {
		run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: small(uint64(seed)), Target: 6})
		ok(t, err)
		for k := range 6 {
			distance := int64(seed + k)
			record, err := schema.Measures{Purposes: int64(k), Distance: &distance}.Encode()
			ok(t, err)
			name, err := run.Put(record)
			ok(t, err)
			ok(t, run.SealIteration(k, schema.Iteration{Link: schema.Name(record),
				Records: []schema.Entry{{Kind: schema.KindMeasures, Name: name}}}, tracker.Cost{Stages: map[string]int64{}}))
		}
		run.Release(nil)
	}
	ok(t, w.Close(t.Context()))
	return store
}

// TestSeries lists runs with measures by iteration, and sorts by one of them.
func TestSeries(t *testing.T) {
	h := New(optionsFor(measured(t, 3)))
	var got struct{ Runs []listedRun }
	ok(t, json.Unmarshal(ask(h, "/api/runs?measure=distance&measure=reach&sort=-distance").Body.Bytes(), &got))
	for i, want := range []string{
		`{"distance":[2,3,4,5,6,7],"reach":[null,null,null,null,null,null]}`,
		`{"distance":[1,2,3,4,5,6],"reach":[null,null,null,null,null,null]}`,
		`{"distance":[0,1,2,3,4,5],"reach":[null,null,null,null,null,null]}`,
	} {
		series, err := json.Marshal(got.Runs[i].Series)
		ok(t, err)
		if string(series) != want {
			t.Errorf("run %d has %s, want %s", i, series, want)
		}
	}
	if f := wantFailure(t, ask(h, "/api/runs?measure=distanse"), 400); !strings.Contains(f.Remedy, "distance") {
		t.Errorf("remedy %q", f.Remedy)
	}
}

// TestOwnSeries: with own=true each run has the measures of its own stage, too, and they sort.
func TestOwnSeries(t *testing.T) {
	store := measured(t, 1)
	w := groupcommit.Start(t.Context(), store)
	for seed, score := range []float64{3.5, 7.25} {
		spec := small(uint64(100 + seed))
		spec.SetStage(schema.MeasureStage,
			&schema.StageProgram{Name: "mine", Version: "1", Measures: []string{"loss", "score"}})
		run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 2})
		ok(t, err)
		for k := range 2 {
			score := score + float64(k)
			record, err := schema.Measures{Purposes: 1}.Encode()
			ok(t, err)
			own, err := schema.ExternalMeasures{"score": &score, "loss": nil}.Encode()
			ok(t, err)
			entries := []schema.Entry{{Kind: schema.KindMeasures}, {Kind: schema.KindExternalMeasures}}
			entries[0].Name, err = run.Put(record)
			ok(t, err)
			entries[1].Name, err = run.Put(own)
			ok(t, err)
			ok(t, run.SealIteration(k, schema.Iteration{Link: schema.Name(own), Records: entries},
				tracker.Cost{Stages: map[string]int64{}}))
		}
		run.Release(nil)
	}
	ok(t, w.Close(t.Context()))
	h := New(optionsFor(store))
	for query, want := range map[string][]string{
		"own=true&sort=-score": {`{"loss":[null,null],"score":[7.25,8.25]}`,
			`{"loss":[null,null],"score":[3.5,4.5]}`, "null"},
		"own=true&sort=score&measure=purposes&q=score<5": {
			`{"loss":[null,null],"purposes":[1,1],"score":[3.5,4.5]}`},
		"sort=score&q=score>0": {"null", "null"},
	} {
		var got struct{ Runs []listedRun }
		ok(t, json.Unmarshal(ask(h, "/api/runs?"+query).Body.Bytes(), &got))
		var series []string
		for _, run := range got.Runs {
			text, err := json.Marshal(run.Series)
			ok(t, err)
			series = append(series, string(text))
		}
		if !slices.Equal(series, want) {
			t.Errorf("%s: %v, want %v", query, series, want)
		}
	}
	wantFailure(t, ask(h, "/api/runs?own=yes"), 400)
}

// TestUsualFields tells fields in which all runs are as the paper's experiment.
func TestUsualFields(t *testing.T) {
	var fields []field
	ok(t, json.Unmarshal(ask(New(optionsFor(measured(t, 2))), "/api/fields").Body.Bytes(), &fields))
	usual := map[string]bool{}
	for _, f := range fields {
		usual[f.Field] = f.Usual
	}
	for name, want := range map[string]bool{"gamma": true, "reading": true, "bits": false, "steps": false, "seed": false} {
		if usual[name] != want {
			t.Errorf("%s is usual: %v", name, usual[name])
		}
	}
}

// TestExploration: the answer is what package explore reads.
func TestExploration(t *testing.T) {
	store := filled(t)
	h, id := New(optionsFor(store)), idOf(t, small(1))
	w := ask(h, "/api/runs/"+id+"/exploration")
	var got explore.Summary
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		r, err := report.LoadRun(tx, id)
		if err != nil {
			return err
		}
		want, err := report.LoadExploration(tx.View, r.Source)
		if err != nil {
			return err
		}
		want.First, want.HasOptions = nil, false
		if d := cmp.Diff(*want, got); d != "" || want.Covered == nil {
			t.Errorf("- read, + answered:\n%s", d)
		}
		return nil
	}))
	wantFailure(t, ask(h, "/api/runs/nobody/exploration"), 404)
}

// TestFieldTerms: the term that comes with a value of a field selects as many runs as the value is said to have, and
// the filter of a group the runs of the group.
func TestFieldTerms(t *testing.T) {
	h := New(optionsFor(filled(t)))
	var fields []field
	ok(t, json.Unmarshal(ask(h, "/api/fields").Body.Bytes(), &fields))
	for _, f := range fields {
		for _, v := range f.Values {
			if got := listed(t, h, "?"+url.Values{"q": {v.Term}}.Encode()); got.Total != v.Runs {
				t.Errorf("%s finds %d runs, want %d", v.Term, got.Total, v.Runs)
			}
		}
	}
	for _, by := range []string{"seed", "run", "seed,tag"} {
		w := ask(h, "/api/compare?q=env%3D*&by="+by)
		var doc struct {
			A, B   *group.Group
			Groups []*group.Group
		}
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 {
			t.Fatalf("by %s: %d, %v", by, w.Code, err)
		}
		if doc.A != nil {
			doc.Groups = []*group.Group{doc.A, doc.B}
		}
		for _, g := range doc.Groups {
			if got := listed(t, h, "?"+url.Values{"q": {g.Filter}}.Encode()); got.Total != len(g.Runs) {
				t.Errorf("%s finds %d runs, want %d", g.Filter, got.Total, len(g.Runs))
			}
		}
	}
}
