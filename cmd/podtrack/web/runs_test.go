package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
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
	h := New(local(store))
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
}

// TestGroupKeepsOrder has a group put runs into its own order, which must not be
// that of a list which is kept.
func TestGroupKeepsOrder(t *testing.T) {
	h := New(local(filled(t)))
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
	w := ask(New(local(store)), "/api/fields?q=env%3Dring")
	var fields []field
	ok(t, json.Unmarshal(w.Body.Bytes(), &fields))
	for _, f := range fields {
		switch f.Field {
		case "seed":
			if len(f.Values) != maxValues || f.More != 7 || f.Values[2] != (report.Value{Value: "2", Runs: 1}) {
				t.Errorf("seeds: %d and %d more, %v", len(f.Values), f.More, f.Values[:3])
			}
		case "bits":
			if !slices.Equal(f.Values, []report.Value{{Value: "7", Runs: maxValues + 7}}) || f.More != 0 {
				t.Errorf("bits: %v", f)
			}
		}
	}
	if len(fields) < 10 {
		t.Errorf("only %d fields", len(fields))
	}
}

// BenchmarkPage is the first page of a store with 10,000 runs, when another process
// has just written to it.
func BenchmarkPage(b *testing.B) {
	store := storeAt(filepath.Join(b.TempDir(), "podtrack.db"))
	ok(b, store.Create(b.Context()))
	w := store.StartWriter(b.Context())
	for seed := range uint64(10_000) {
		run, _, err := w.Acquire(b.Context(), tracker.Claim{Spec: small(seed), Target: 1})
		ok(b, err)
		run.Release(nil)
	}
	ok(b, w.Close(b.Context()))
	h := New(local(store))
	for name, fresh := range map[string]bool{"read": true, "kept": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if fresh {
					h = New(local(store))
				}
				if p := listed(b, h, fmt.Sprintf("?limit=%d", pageRuns)); p.Total != 10_000 {
					b.Fatal(p.Total)
				}
			}
		})
	}
}

// TestExploration: the answer is what package explore reads.
func TestExploration(t *testing.T) {
	store := filled(t)
	h, id := New(local(store)), idOf(t, small(1))
	w := ask(h, "/api/runs/"+id+"/exploration")
	var got explore.Run
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		r, err := report.LoadRun(tx, id)
		if err != nil {
			return err
		}
		want, err := report.LoadExploration(tx, r)
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
