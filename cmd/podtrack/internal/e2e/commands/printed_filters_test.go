package commands

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// storeOfGroups makes a store of runs that differ in tags, notes and more, some with odd characters.
func storeOfGroups(t *testing.T) (store string) {
	t.Helper()
	store = filepath.Join(t.TempDir(), "podtrack.db")
	for _, made := range []string{
		"sweep --seeds 0-3 --tag study", "sweep --seeds 0-1 --kappa 2 --tag study --tag complement",
		"run --seeds 4-5 --kappa 0.5", "sweep --seeds 6-7 --kappa 3 --tag x*",
		"run --seeds 18446744073709551614-18446744073709551615",
	} {
		args := strings.Fields(made + " --bits 5 --steps 40 --iterations 1 --store")
		e2e.Perform(t, append(args, store)...)
	}
	for filter, note := range map[string]string{"tag==complement,study": `two words, kappa=1 and "more"`,
		"kappa=0.5": "it's *"} {
		for _, r := range e2e.List(t, store, filter) {
			e2e.Perform(t, "label", r.Short, "--note", note, "--store", store)
		}
	}
	return store
}

// groupLine matches a line that names a group, its size and its filter.
var groupLine = regexp.MustCompile(`(?m)^.+?: (\d+) runs?, (.*)$`)

// TestPrintedGroups: each group that compare names is a filter that finds the runs of the group.
func TestPrintedGroups(t *testing.T) {
	store := storeOfGroups(t)
	for _, c := range []struct {
		by   string
		runs []string
	}{
		{"tag", []string{"env=ring"}}, {"tag", []string{"tag~s", "kappa.gt=0"}}, {"note", []string{"env=ring"}},
		{"tag,kappa", []string{"env=*"}}, {"seed", []string{"seed.ge=3"}}, {"kappa", []string{"@1", "@2", "@4", "@7", "@9"}},
		{"created,tag", []string{"created.gt=2020-01-01"}}, {"name,kappa", []string{"age.lt=1d"}},
		{"run", []string{"tag==x*"}},
		{"head", []string{"tag=study"}}, {"reading,kappa", []string{`note!="it's *"`}},
	} {
		asked := append([]string{"compare", "--by", c.by, "--measure", "distance", "--store", store}, c.runs...)
		code, text, _ := e2e.Podtrack(append(asked, "--iteration", "0")...)
		if code != 0 {
			t.Fatalf("%q: exit code %d", asked, code)
		}
		groups := groupLine.FindAllStringSubmatch(unwrap(text), -1)
		if len(groups) < 2 {
			t.Errorf("%q names %d groups: %s", asked, len(groups), text)
		}
		for _, g := range groups {
			filter := strings.TrimSuffix(g[2], " (baseline)")
			if n, _ := strconv.Atoi(g[1]); len(e2e.List(t, store, filter)) != n {
				t.Errorf("%q: %s finds %d runs, not %d", asked, filter, len(e2e.List(t, store, filter)), n)
			}
		}
		checkJSONGroups(t, store, e2e.Perform(t, append(asked, "--json")...))
	}
}

// unwrap joins the lines that a line was wrapped to.
func unwrap(text string) string { return regexp.MustCompile(`\n {2,}`).ReplaceAllString(text, " ") }

// checkJSONGroups checks the groups in a document of compare, two or several.
func checkJSONGroups(t *testing.T, store, document string) {
	t.Helper()
	type group struct {
		Filter string
		Runs   []struct{ Run string }
	}
	var doc struct {
		A, B   *group
		Groups []*group
	}
	e2e.Must(t, json.Unmarshal([]byte(document), &doc))
	if doc.A != nil {
		doc.Groups = []*group{doc.A, doc.B}
	}
	if len(doc.Groups) < 2 {
		t.Fatalf("%d groups: %.300s", len(doc.Groups), document)
	}
	for _, g := range doc.Groups {
		var want, got []string
		for _, r := range g.Runs {
			want = append(want, r.Run)
		}
		for _, r := range e2e.List(t, store, g.Filter) {
			got = append(got, r.ID.String())
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s finds %d runs, and the group has %d", g.Filter, len(got), len(want))
		}
	}
}
