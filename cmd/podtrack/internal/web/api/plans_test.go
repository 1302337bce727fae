package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// plansTold returns what /api/plans answers, each plan by what people are told of it.
func plansTold(t *testing.T, h http.Handler, query string) (total int, plans []string) {
	t.Helper()
	var told struct {
		Total int
		Plans []listedPlan
	}
	w := ask(h, "/api/plans"+query)
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != 200 || told.Plans == nil {
		t.Fatalf("%s: status %d, %v: %s", query, w.Code, err, w.Body)
	}
	for _, p := range told.Plans {
		if p.Text != p.Progress.Text() || p.Share != p.Fraction() {
			t.Errorf("%s: the page is told %q, %g", p.Tag, p.Text, p.Share)
		}
		plans = append(plans, p.Tag+": "+p.String())
	}
	return told.Total, plans
}

// TestPlans asks for plans before and after there are some.
func TestPlans(t *testing.T) {
	store := filled(t)
	h := New(optionsFor(store))
	if total, plans := plansTold(t, h, ""); total != 0 || len(plans) != 0 {
		t.Errorf("%d plans, %q", total, plans)
	}
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			ok(t, err)
			if run.Spec.Seed > 0 {
				ok(t, tx.AddTag(run.ID, "grid"))
			}
		}
		addPlan(t, tx, "grid", "1-3", 1) // the tag has five runs, two of them in both plans
		addPlan(t, tx, "grid", "2-5", 2)
		addPlan(t, tx, "next", "7", 3)
		return nil
	}))
	const grid, next = "grid: 2 of 5 complete, 3 missing", "next: 0 of 1 complete, 1 missing"
	for query, want := range map[string][]string{
		"": {next, grid}, "?q=tag%3Dgrid": {grid}, "?q=seed%3D1": {"grid: 1 of 1 complete"}, "?q=seed%3D0": nil,
		"?q=seed%3D7&q=tag%3Dnext": {next}, "?q=seed%3D2-3": {"grid: 1 of 2 complete, 1 missing"},
		"?q=" + idOf(t, small(2))[:12]: nil, "?q=tag%3Dgrid&q=status%3Dcomplete": nil,
	} {
		total, plans := plansTold(t, h, query)
		if diff := cmp.Diff(want, plans); diff != "" || total != len(want) {
			t.Errorf("%s: %d plans: %s", query, total, diff)
		}
	}
	for _, query := range []string{"?q=foo%3D1", "?tag=grid", "?q=seed%3D1&q=@1"} {
		wantFailure(t, ask(h, "/api/plans"+query), 400)
	}
}

// addPlan adds a plan of the small spec with three iterations to a tag.
func addPlan(t testing.TB, tx *tracker.Tx, tag, seeds string, set int64) {
	t.Helper()
	p := &runset.Plan{Specs: []schema.Spec{small(0)}, Iterations: 3}
	ok(t, p.Seeds.UnmarshalText([]byte(seeds)))
	_, err := tx.AddPlan(p, tag, tracker.Planned{Set: set})
	ok(t, err)
}

// TestManyPlans tells of the newest.
func TestManyPlans(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	h := New(optionsFor(store))
	wantFailure(t, ask(h, "/api/plans"), 404)
	ok(t, store.Create(t.Context()))
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		for i := range maxPlans + 7 {
			addPlan(t, tx, fmt.Sprint("p", i), "7", int64(i+1))
		}
		return nil
	}))
	total, plans := plansTold(t, h, "")
	if want := fmt.Sprintf("p%d: 0 of 1 complete, 1 missing", maxPlans+6); total != maxPlans+7 || len(plans) != maxPlans ||
		plans[0] != want {
		t.Errorf("%d of %d plans, the first %q", len(plans), total, plans[0])
	}
}
