package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// addStudy adds a study of the small spec and of one with another discount, in the order later, small.
func addStudy(t testing.TB, store *tracker.Store, name, seeds string, gamma float64) {
	t.Helper()
	other := small(0)
	other.Gamma = gamma
	p := &runset.Plan{Specs: []schema.Spec{other, small(0)}, Iterations: 2, Study: &runset.Study{
		Name: name, Title: "Title of " + name, Baselines: []string{"small"}, Correction: runset.Holm,
		Settings: []runset.Setting{{Name: "ring", Outcome: runset.Outcome{Measure: "distance", Over: runset.OverLast}}},
		Variants: []runset.Variant{{Name: "later"}, {Name: "small", Label: "The small"}},
		Cells:    []runset.Cell{{Variant: 0}, {Variant: 1}},
	}}
	ok(t, p.Seeds.UnmarshalText([]byte(seeds)))
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.SetStudy(p)
	}))
}

// read returns what a path answers.
func read[T any](t *testing.T, h http.Handler, path string) (answer T) {
	t.Helper()
	w := ask(h, path)
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %s", path, w.Code, err, w.Body)
	}
	return answer
}

type toldStudy struct {
	Title    string
	Planned  int
	Complete int
	Settings []struct {
		Variants []struct {
			Name string
			N    int
		}
	}
	Progress []studyProgress
}

// TestStudies asks for studies before there is one, and for one that is half made.
func TestStudies(t *testing.T) {
	store := filled(t)
	h := New(optionsFor(store))
	if all := read[[]listedStudy](t, h, "/api/studies"); all == nil || len(all) != 0 {
		t.Errorf("the studies of a store without one: %v", all)
	}
	addStudy(t, store, "half", "1-4", 0.5)
	addStudy(t, store, "none", "100-101", 0.25)
	want := []listedStudy{{"half", "Title of half"}, {"none", "Title of none"}}
	if all := read[[]listedStudy](t, h, "/api/studies"); !slices.Equal(all, want) {
		t.Errorf("%v, want both by name", all)
	}

	half := read[toldStudy](t, h, "/api/study?name=half")
	progress := []studyProgress{{"ring", "later", 4, 0, 0}, {"ring", "The small", 4, 2, 0}}
	if half.Planned != 8 || half.Complete != 2 || half.Settings[0].Variants[1].N != 2 ||
		!slices.Equal(half.Progress, progress) {
		t.Errorf("half made: %+v", half)
	}
	none := read[toldStudy](t, h, "/api/study?name=none")
	if none.Title != "Title of none" || none.Planned != 4 || none.Settings == nil || len(none.Settings) != 0 ||
		none.Progress[1].Planned != 2 {
		t.Errorf("not begun: %+v", none)
	}

	fields := read[[]field](t, h, "/api/fields?q=study%3Dhalf&q=seed%3D1")
	if len(fields) < 3 || fields[1].Field != "setting" || fields[2].Field != "variant" ||
		fields[2].Values[0].Value != "small" {
		t.Errorf("fields of a run in a study: %+v", fields)
	}
	runs := read[struct{ Runs []listedRun }](t, h, "/api/runs?q=seed%3D1").Runs
	if place := (listedPlace{"half", "ring", "small"}); !slices.Equal(runs[0].Places, []listedPlace{place}) {
		t.Errorf("places: %v", runs[0].Places)
	}
}

// TestHostileStudies asks for studies that there are not, or too much of one.
func TestHostileStudies(t *testing.T) {
	store := filled(t)
	addStudy(t, store, "half", "1-4", 0.5)
	s := newServer(optionsFor(store))
	h := s.handler()
	for path, status := range map[string]int{"study": 400, "study?name=": 400, "study?name=half&name=half": 400,
		"study?name=half&q=seed%3D1": 400, "studies?name=half": 400, "study?name=hal": 404, "study?name=%00%22*": 404} {
		wantFailure(t, ask(h, "/api/"+path), status)
	}
	s.limits.runs = 7
	wantFailure(t, ask(h, "/api/study?name=half"), 409)
}
