package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// studyFile is a study of two variants in two settings.
const studyFile = `
title = "Does the complement explore?"
seeds = "0-1"
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

// views are every kind of document.
var views = []view{
	{"/", []string{"Runs", "ring0", "rooms", "hostile"}},
	{"/ls?q=ring+seed%3D0-2&sort=-seed", []string{"ring0", "ring2"}},
	{"/ls?columns=run,name,seed,head,distance,tag,note,status", []string{"head", "<b>bold</b>"}},
	{"/ls?chosen=ring0", []string{"ring0"}},
	{"/status", []string{"complete"}},
	{"/show?of=ring0", []string{"Run ring0", "podtrack options ring0"}},
	{"/show?of=rooms", []string{"four-rooms"}},
	{"/show?of=rejected", []string{"laplacian"}},
	{"/show?of=nothing", []string{"kappa"}},
	{"/show?of=hostile", []string{"<script>alert(1)</script>"}},
	{"/show?of=ring0&exploration=true", []string{"entropy"}},
	{"/show?of=ring0&spec=true", []string{`"bits": 8`}},
	{"/show?of=bits%3D8+parent%3D&group=true&by=seed", []string{"distance"}},
	{"/options?of=rooms", []string{"0/1+"}},
	{"/options?of=rejected&rejected=true", []string{"it is not among the first 2"}},
	{"/why?of=ring0:%234", []string{"verified", "reward"}},
	{"/why?of=rooms:1/1%2B", []string{"verified"}},
	{"/why?of=ring0:0/1%2B&forward=true", []string{"ring0"}},
	{"/diff?of=ring0&of=ring1", []string{"ring1"}},
	{"/diff?of=ring0&of=fork", []string{"fork"}},
	{"/diff?of=ring0:1&of=ring1:1", []string{"chance"}},
	{"/diff?of=ring0:1/1%2B&of=ring1:1/1%2B", []string{"Jaccard"}},
	{"/diff?of=bits%3D8+parent%3D&group=true", []string{"distinct options"}},
	{"/compare?of=ring0&of=seed%3D1-2+bits%3D8", []string{"distance"}},
	{"/compare?of=bits%3D8+parent%3D&by=seed", []string{"seed"}},
	{"/compare?of=study%3Dwhole", []string{"POD", "complement"}},
	{"/evaluate?of=ring0&task=goal%3D3&seeds=0-1&episodes=20", []string{"goal"}},
	{"/plot-walk?of=ring0", []string{"Position over time"}},
	{"/plot-visits?of=rooms", []string{"visits"}},
	{"/plot-coverage?of=bits%3D8+parent%3D", []string{"istinct states visited"}},
	{"/plot-measures?of=bits%3D8+parent%3D", []string{"distance"}},
	{"/plot-scatter?of=bits%3D8+parent%3D&x=seed&y=distance", []string{"distance"}},
	{"/plot-spectrum?of=ring0", []string{"pectrum"}},
	{"/plot-purposes?of=ring0", []string{"urpose"}},
	{"/plot-option?of=rooms:1/1%2B", []string{"olicy"}},
	{"/plot-diff?of=ring0&of=ring1", []string{"ring1"}},
	{"/plot-outcomes?of=study%3Dwhole", []string{"POD"}},
}

// mistakes are addresses of what cannot be shown.
var mistakes = []view{
	{"/ls?q=seed%3D99", []string{"no run"}},
	{"/shwo?of=ring0", []string{`no page "shwo"`, "did you mean show?"}},
	{"/show?of=nobody", []string{"nobody", "podtrack ls"}},
	{"/show?of=ring0&colour=red", []string{"takes no parameter"}},
	{"/why?of=ring0:%2399", []string{"99"}},
	{"/plot-walk?of=ring0&theme=purple", []string{"purple"}},
}

// record makes a store with runs of all kinds that pages show.
func record(t *testing.T) (store string) {
	t.Helper()
	dir := t.TempDir()
	store = filepath.Join(dir, "podtrack.db")
	run := func(args ...string) { e2e.Perform(t, append([]string{"run", "--store", store}, args...)...) }
	run("--bits", "8", "--steps", "300", "--iterations", "3", "--seeds", "0-2", "--name", "ring{seed}")
	run("--env", "grid:four-rooms", "--select", "top=3", "--steps", "1000", "--iterations", "2", "--name", "rooms")
	run("--env", "grid:i-maze", "--method", "laplacian", "--select", "top=2", "--steps", "1000", "--iterations", "2",
		"--name", "rejected")
	run("--bits", "8", "--seed", "7", "--iterations", "1", "--kappa", "1000", "--name", "nothing")
	run("--bits", "5", "--steps", "50", "--iterations", "1", "--seed", "18446744073709551615", "--name", "hostile")
	e2e.Perform(t, "fork", "ring0:2", "--store", store, "--set", "gamma=0.9", "--name", "fork")
	e2e.Perform(t, "label", "hostile", "--store", store, "--tag", "<b>bold</b>", "--note",
		"<script>alert(1)</script> and "+strings.Repeat("a-word-without-end", 20))
	file := filepath.Join(dir, "whole.toml")
	e2e.Must(t, os.WriteFile(file, []byte(studyFile), 0o666))
	e2e.Perform(t, "sweep", file, "--store", store)
	return store
}

// TestDocuments opens every kind of document in a real browser.
func TestDocuments(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := record(t)
	b := newBrowser(t, store)
	for _, v := range views {
		t.Run(v.address, func(t *testing.T) {
			b.use(t)
			b.lookAt(v)
		})
	}
	for _, v := range mistakes {
		t.Run(v.address, func(t *testing.T) {
			b.use(t)
			b.forgive("status of 4")
			b.lookAt(v)
		})
	}
	for name, test := range map[string]func(*browser){"chosen": choosing, "copy": copying, "search": searching,
		"sort": sorting, "without scripts": withoutScripts, "print": printing, "file": exporting, "forms": answersInForms} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			b.look(widths[0], themes[0])
			test(b)
		})
	}
	t.Run("axe-core", needsAxe)
}
