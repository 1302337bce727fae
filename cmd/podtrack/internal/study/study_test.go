package study

import (
	"errors"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// TestRegistered holds the study to what was asked of it before it was run: fresh seeds, at least 60.
func TestRegistered(t *testing.T) {
	s := Exploration()
	if s.Seeds.At(0) < 1000 || s.Seeds.Len() < 60 || s.Iterations != pod.PaperIterations {
		t.Errorf("seeds %s, %d iterations", s.Seeds, s.Iterations)
	}
	for _, setting := range s.Settings {
		jobs, err := s.Jobs(setting, 2)
		if err != nil || len(jobs) != 2*len(s.Variants) {
			t.Errorf("%s: %d jobs (%v)", setting.Name, len(jobs), err)
		}
		ids := map[schema.Digest]bool{}
		for _, j := range jobs {
			id, err := j.ID()
			if ids[id] || err != nil {
				t.Errorf("%s: run %s twice (%v)", setting.Name, id, err)
			}
			ids[id] = true
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`title =`, `titel =`, "unknown keys"},
		{`select = "below"`, `select = "belwo"`, "unknown selection"},
		{`candidate = "complement"`, `candidate = "nothing"`, `no variant "nothing"`},
		{`outcome = "covered"`, `outcome = "luck"`, `outcome "luck"`},
		{`hide = "3"`, `hidden = "3"`, `no field "hidden"`},
		{`iterations = 6`, `iterations = 1`, "two iterations"},
		{`title =`, `title`, "expected"},
		{`seeds = "2000-2059"`, ``, "it needs seeds"},
	} {
		text := strings.Replace(exploration, c.from, c.to, 1)
		if text == exploration {
			t.Fatalf("the study has no %q", c.from)
		}
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	for from, least := range map[string]string{
		`seeds = "2000-2059"`: `seeds = "2000"`, "iterations = 6": "iterations = 2",
	} {
		if text := strings.Replace(exploration, from, least, 1); text == exploration {
			t.Fatalf("the study has no %q", from)
		} else if _, err := parse(text); err != nil {
			t.Errorf("%s: %v", least, err)
		}
	}
}

func TestChoose(t *testing.T) {
	s := Exploration()
	if all, err := s.Choose(nil); err != nil || len(all) != len(s.Settings) {
		t.Errorf("%d of %d settings (%v)", len(all), len(s.Settings), err)
	}
	if two, err := s.Choose([]string{"taxi", "ring"}); err != nil || len(two) != 2 || two[0].Name != "ring" {
		t.Errorf("%v (%v)", two, err)
	}
	if _, err := s.Choose([]string{"rnig"}); !errors.Is(err, schema.ErrSpec) {
		t.Error(err)
	}
	for text, want := range map[string]int{"": s.Seeds.Len(), "1": 1, "0": 0, "-1": 0, "61": 0, "x": 0} {
		n, err := s.ParseSeeds(text)
		if n != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d seeds (%v)", text, n, err)
		}
	}
}
