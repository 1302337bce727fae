package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// studyFile is a study of two variants in two settings, which are one part.
const studyFile = `
title = "Does the complement explore?"
seeds = "0-3"
iterations = 2
steps = 100

[[setting]]
name = "ring"
label = "a small ring"
part = "small ones"
env = "ring"
bits = 5
outcome = "distance"

[[setting]]
name = "four rooms"
part = "small ones"
env = "grid"
map = "four-rooms"
outcome = "states_visited"

[[variant]]
name = "pod"
label = "POD"

[[variant]]
name = "complement"
dataset = "cumulative"
select = "below"
kappa = 2
`

// studySeen are the views of a study that is complete, of one that has begun, and of one without runs.
var studySeen = []view{
	{"/", []string{"Does the complement explore?"}},
	{"/study/whole", []string{"Does the complement explore?", "16 of 16 runs complete", "Over settings",
		"small ones (over 2 settings), compared with POD", "P(better)", "rank-sum test over settings (van Elteren)",
		"podtrack compare study=whole --overall", "a small ring (distance in iteration 1), compared with POD", "P(more)",
		"podtrack compare study=whole", "by iteration",
		"standard deviations from the mean", "POD · 4 runs",
		"podtrack ls study=whole setting=ring --sort seed"}},
	{"/study/whole?setting=four+rooms&curve=coverage", []string{"states visited over time", `setting="four rooms"`}},
	{"/?q=study%3Dwhole&group=setting", []string{"setting ring · 8 runs", "podtrack ls study=whole"}},
	{"/study/begun", []string{"Preliminary: 2 of 16 runs are complete. Seeds 4-7", "not tested (no run yet)"}},
	{"/study/planned", []string{"Preliminary: 0 of 16 runs are complete", "No run of this study has begun"}},
}

// TestStudyPage opens the page of a store with studies.
func TestStudyPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "podtrack.db")
	for _, s := range []struct{ name, seeds, shard string }{
		{"planned", "8-11", "99/100"}, {"begun", "4-7", "1/8"}, {"whole", "0-3", "0/1"},
	} {
		file := filepath.Join(dir, s.name+".toml")
		e2e.Must(t, os.WriteFile(file, []byte(strings.ReplaceAll(studyFile, "0-3", s.seeds)), 0o666))
		e2e.Start(t, "sweep", file, "--store", store, "--shard", s.shard).Exit(t, 0)
	}
	b := newBrowser(t, store)
	b.lookAt(studySeen, func() {})
	t.Run("measures in sight", func(t *testing.T) {
		b.use(t)
		b.look(400, "light")
		b.open("/runs")
		b.until(`document.querySelectorAll("tbody a.name").length > 10`)
		b.until(`document.querySelectorAll("tr:not(.group) .last")[1].getBoundingClientRect().right < 400`)
		b.press(`nav[aria-label="pages"] a[href="/"]`)
		b.sees("Over settings")
	})
}
