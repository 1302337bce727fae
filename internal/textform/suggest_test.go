package textform

import "testing"

func TestSuggest(t *testing.T) {
	commands := []string{"run", "resume", "replay", "repair", "show", "sweep"}
	for word, want := range map[string]string{
		"repaly": "replay", "rseume": "resume", "sho": "show", "sweeep": "sweep", "": "", "xyz": "", "run": "run",
		"RUN": "run", "Repaly": "replay", "SHO": "show",
		"rn": "run", "shw": "show", "un": "", "rnu": "run", "urn": "run", "nur": "",
	} {
		if got := Suggest(word, commands); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Suggest("FOUR", []string{"Flour", "Four", "fourth"}); got != "Four" {
		t.Errorf("FOUR: %q, want Four as it is written", got)
	}
}
