package report_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// odd draws text with what means something in a filter, in a shell or on a page.
func odd(most int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("ab01 ,=<>!~\"'*?.-_+:;#@%&$\\\n\té日\u202e")), 0, most, -1)
}

// oddRun draws a run, with whatever text people and programs can give it.
func oddRun(t *rapid.T, seed uint64) report.Run {
	return sample(seed, func(r *report.Run) {
		r.Name = rapid.SampledFrom([]string{"", "p*", "p?", "it's", `"p`, "p!1", "1-5", "7", "7.0"}).Draw(t,
			"name")
		r.Note = odd(8).Draw(t, "note")
		r.Failure = odd(4).Draw(t, "failure")
		tags := rapid.SampledFrom([]string{"study", "complement", "x*", "?", `"q"`, "a'b", "1-3", "2", "日", "run~a", "<x",
			"~", "!="})
		r.Tags = rapid.SliceOfNDistinct(tags, 0, 3, rapid.ID).Draw(t, "tags")
		slices.Sort(r.Tags)
		r.Created = time.Unix(1767322000, 0).UTC().Add(time.Duration(rapid.IntRange(0, 3e9).Draw(t, "created")))
		r.Status = rapid.SampledFrom([]tracker.Status{tracker.Running, tracker.Complete, tracker.Failed}).Draw(t,
			"status")
		r.Spec.Seed = rapid.SampledFrom([]uint64{0, 1, 1 << 53, 1<<53 + 1, 1<<64 - 2, 1<<64 - 1}).Draw(t, "seed")
		r.Spec.Kappa = rapid.SampledFrom([]float64{0, 1e-9, 0.1, 1, 1e300}).Draw(t, "kappa")
		r.Spec.Select = rapid.SampledFrom([]schema.Select{"threshold", "top=1", "energy=0.9"}).Draw(t, "select")
		r.Reading = r.Spec.Reading()
		r.Columns = map[string]any{} // what is read on demand, as if it were read
		for _, key := range report.FilterKeys() {
			r.Columns[key] = float64(seed)
		}
		names := rapid.SampledFrom([]string{"ring", "ring, hidden", `"x"`, "a*", "1-5", "σ ≤ 8"})
		place := tracker.Membership{}
		if rapid.Bool().Draw(t, "in a study") {
			place.Study, place.Setting.Name, place.Variant.Name = "s", names.Draw(t, "setting"), names.Draw(t, "variant")
		}
		r.Places = []tracker.Membership{place}
		r.Columns["study"], r.Columns["setting"], r.Columns["variant"] = place.Study, place.Setting.Name, place.Variant.Name
		if rapid.Bool().Draw(t, "declared") {
			value := rapid.OneOf(odd(4), rapid.SampledFrom([]string{"0.1", "0.10", "1-5", "3", "False"}))
			r.Spec.Env = schema.Env{Name: "lake", Text: map[string]string{"slip": value.Draw(t, "slip"),
				"bits": value.Draw(t, "bits")}, External: &schema.External{}}
		}
		if rapid.Bool().Draw(t, "begun") {
			r.Head = nil
		}
	})
}

// shownKeys are keys by which runs are split.
func shownKeys() []string {
	keys := []string{"slip", "bits", "hide"}
	for _, key := range report.FilterKeys() {
		if !report.IsMeasure(key) && key != "age" { // which goes on
			keys = append(keys, key)
		}
	}
	return keys
}

// TestFormatTerm: a term that is made of a value of a run selects the runs with this value, and no other, whatever
// people and programs wrote, and reads as the same in a longer selection.
func TestFormatTerm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []report.Run
		for i := range rapid.IntRange(2, 5).Draw(t, "runs") {
			runs = append(runs, oddRun(t, uint64(i)))
		}
		for _, key := range shownKeys() {
			for i := range runs {
				fact, _ := runs[i].Field(key)
				term := report.FormatTerm(key, fact)
				if got := report.SplitSelection([]string{"seed=1 " + term + " hide=0"}); len(got) != 3 || got[1] != term {
					t.Fatalf("%s is split into %q", term, got)
				}
				filter, err := report.ParseFilter([]string{term})
				if err != nil {
					t.Fatalf("%s: %v", term, err)
				}
				for j := range runs {
					other, _ := runs[j].Field(key)
					if matched, err := filter.Match(nil, &runs[j]); err != nil || matched != (other == fact) {
						t.Fatalf("%s of %q finds a run of %q: %v, %v", term, fact, other, matched, err)
					}
				}
			}
		}
	})
}

// TestFormatSelection: a selection that is written is read as the same selection.
func TestFormatSelection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operators := rapid.SampledFrom([]string{"=", "!=", "~", "==", "<", ".gt="})
		keys := rapid.SampledFrom([]string{"note", "name", "tag", "seed", "created", "slip", "about"})
		text := keys.Draw(t, "key") + operators.Draw(t, "operator") + odd(9).Draw(t, "value")
		selection := report.SplitSelection([]string{text})
		filter, err := report.ParseFilter(selection)
		if err != nil {
			t.Skip()
		}
		written := report.FormatSelection(selection)
		again := report.SplitSelection([]string{written})
		back, err := report.ParseFilter(again)
		if err != nil || report.FormatSelection(again) != written || len(back) != len(filter) {
			t.Fatalf("%q is written %q, and that %q: %v", text, written, report.FormatSelection(again), err)
		}
		for i := range 4 {
			run := oddRun(t, uint64(i))
			one, _ := filter.Match(nil, &run)
			two, _ := back.Match(nil, &run)
			if one != two {
				t.Fatalf("%q matches: %v, %q: %v", text, one, written, two)
			}
		}
	})
}

// oddStore returns a store of runs with odd names, tags and notes.
func oddStore(t *testing.T) *tracker.Store {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	w := groupcommit.Start(ctx, store)
	tags := [][]string{nil, {"study"}, {"complement", "study"}, {"study*"}, {`"q`, "it's"}, {"complement"}}
	for i := range uint64(24) {
		spec := pod.PaperSpec()
		spec.Seed, spec.Kappa = 1<<64-1-i%5, float64(i%3)/10
		spec.Sweeps = 50 + int64(i)
		claim := tracker.Claim{Spec: spec, Target: 2, Tags: tags[i%6]}
		if i%2 == 0 {
			claim.Name = fmt.Sprintf("n?%d", i)
		}
		run, _, err := w.Acquire(ctx, claim)
		if err != nil {
			t.Fatal(err)
		}
		run.Release(nil)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestFormatSplit: the filter of each part of a selection, which is split by fields, finds this part.
func TestFormatSplit(t *testing.T) {
	store := oddStore(t)
	err := store.View(t.Context(), func(tx *tracker.Tx) error {
		all, err := report.Select(tx, nil)
		if err != nil {
			return err
		}
		middle := all[len(all)/2].Created.Format(time.RFC3339Nano) // within the second of others
		for _, c := range []string{"tag=study by tag", "tag~s kappa.gt=0 by tag,kappa", "seed>9007199254740993 by seed",
			"env=* by tag", "@1 @2 @3 @7 by kappa", "created>2020 by created,tag", "kappa=0-1,2 tag!=x by name",
			"env=ring by run", "name=n* by sweeps,tag", "kappa>0 by tag", "tag=study by seed",
			"created>" + middle + " by created"} {
			args, fields, _ := strings.Cut(c, " by ")
			checkParts(t, tx, report.SplitSelection([]string{args}), strings.Split(fields, ","))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkParts checks the filters of the parts of a selection.
func checkParts(t *testing.T, tx *tracker.Tx, selection, by []string) {
	t.Helper()
	runs, err := report.Select(tx, selection)
	if err != nil || len(runs) < 3 {
		t.Fatalf("%q: %d runs, %v", selection, len(runs), err)
	}
	parts := map[string][]report.Run{}
	for _, r := range runs {
		var values []string
		for _, field := range by {
			value, _ := r.Field(field)
			values = append(values, value)
		}
		key := strings.Join(values, "\x00")
		parts[key] = append(parts[key], r)
	}
	for key, members := range parts {
		filter := report.FormatSplit(selection, by, strings.Split(key, "\x00"), members)
		found, err := report.Select(tx, []string{filter})
		if err != nil || !slices.Equal(sortedIDs(members), sortedIDs(found)) {
			t.Errorf("%q by %q: %s finds %d runs of %d, %v", selection, by, filter, len(found), len(members), err)
		}
	}
}

func sortedIDs(runs []report.Run) (ids []string) {
	for _, r := range runs {
		ids = append(ids, r.ID.String())
	}
	slices.Sort(ids)
	return ids
}
