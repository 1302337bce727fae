package study

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPublished: the published result is of this study, and its first seeds give the same numbers here.
func TestPublished(t *testing.T) {
	t.Parallel()
	r, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	s := Exploration()
	if n := s.Seeds.Len(); r.Seeds != n || r.FirstSeed != s.Seeds.At(0) || r.Registered != n ||
		len(r.Settings) != len(s.Settings) {
		t.Fatalf("%d seeds from %d on in %d settings", r.Seeds, r.FirstSeed, len(r.Settings))
	}
	seeds, names := 1, []string{"ring", "open field"}
	if schematest.Long() {
		names = append(names, "ring, hidden", "four rooms", "nine rooms", "taxi")
	}
	settings, err := s.Choose(names)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Measure(context.Background(), runStudy(t, s, settings, seeds), settings, seeds)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range again.Settings {
		want := r.setting(setting.Name)
		for i, v := range setting.Variants {
			if want.Variants[i].Name != v.Name || len(want.Variants[i].Values) != r.Seeds {
				t.Fatalf("%s: variant %d is %s of %d seeds", setting.Name, i, want.Variants[i].Name,
					len(want.Variants[i].Values))
			}
			if diff := cmp.Diff(want.Variants[i].Values[:seeds], v.Values); diff != "" {
				t.Errorf("%s, %s (-published +here):\n%s", setting.Name, v.Name, diff)
			}
		}
	}
}

// TestPublishedFollows: what is published of means and comparisons follows from the published values.
func TestPublishedFollows(t *testing.T) {
	r, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Settings {
		for j := range r.Settings[i].Variants {
			r.Settings[i].Variants[j].Against = []Against{}
		}
		r.Settings[i].compare(r.Reference)
	}
	r.settle()
	r.Goal = Exploration().judge(r)
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-published +again):\n%s", diff)
	}
	for _, l := range r.Lost {
		if l.Variant == "covering eigenoptions" && l.Directions != 1 { // one option an iteration, of either sign
			t.Errorf("%s: %v directions of %s", l.Setting, l.Directions, l.Variant)
		}
	}
	if !slices.ContainsFunc(r.Lost, func(l Lost) bool { return l.Sigma == "σ = 0" }) {
		t.Error("nothing is said of where options of σ = 0 lead")
	}
}
