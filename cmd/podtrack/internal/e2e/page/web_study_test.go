package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// studyFile is a study of two variants in two settings.
const studyFile = `
title = "Does the complement explore?"
seeds = "0-3"
iterations = 2
steps = 100

[[setting]]
name = "ring"
label = "a small ring"
env = "ring"
bits = 5
outcome = "distance"

[[setting]]
name = "four rooms"
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

// studySeen are the views of a study that is complete, and of one that is not.
var studySeen = []view{
	{"/", []string{"Does the complement explore?", "16 of 16 runs complete", "a small ring (distance in iteration 1)",
		"compared with POD", "podtrack compare study=whole", "POD (4)", "by iteration",
		"standard deviations from the mean", "POD · 4 runs",
		"podtrack ls study=whole setting=ring --sort seed"}},
	{"/study/whole?setting=four+rooms&curve=coverage", []string{"states visited over time", `setting="four rooms"`}},
	{"/?q=study%3Dwhole&group=setting", []string{"setting ring · 8 runs", "podtrack ls study=whole"}},
	{"/study/begun", []string{"0 of 16 runs complete", "No run of this study has begun"}},
}

// TestStudyPage opens the page of a store with studies.
func TestStudyPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "podtrack.db")
	for _, name := range []string{"begun", "whole"} {
		file := filepath.Join(dir, name+".toml")
		text, args := studyFile, []string{"sweep", file, "--store", store}
		if name == "begun" {
			text, args = strings.ReplaceAll(text, "0-3", "4-7"), append(args, "--shard", "99/100")
		}
		e2e.Must(t, os.WriteFile(file, []byte(text), 0o666))
		e2e.Start(t, args...).Exit(t, 0)
	}
	b := newBrowser(t, store)
	b.lookAt(studySeen, strings.NewReplacer(), func() {})
	t.Run("measures in sight", func(t *testing.T) {
		b.use(t)
		b.look(400, "light")
		b.open("/runs")
		b.until(`document.querySelectorAll("tbody a.name").length > 10`)
		b.until(`document.querySelectorAll("tr:not(.group) .last")[1].getBoundingClientRect().right < 400`)
		b.press(`nav[aria-label="pages"] a[href="/"]`)
		b.sees("Verdict")
	})
}
