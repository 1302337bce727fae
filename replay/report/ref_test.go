package report_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"pgregory.net/rapid"
)

func TestParseRef(t *testing.T) {
	for text, want := range map[string]report.Ref{
		"abc":        {Run: "abc", WholeRun: true},
		"@1":         {Run: "@1", WholeRun: true},
		"":           {WholeRun: true}, // that no run has this name is found later
		"s0:0":       {Run: "s0"},
		"@2:12":      {Run: "@2", K: 12},
		"s0:3/1+":    {Run: "s0", K: 3, J: 1, Sign: 1},
		"s0:3/12-":   {Run: "s0", K: 3, J: 12, Sign: -1},
		"s0:3/12−":   {Run: "s0", K: 3, J: 12, Sign: -1}, // as copied from a paper
		"a/b:0/1+":   {Run: "a/b", J: 1, Sign: 1},
		"name/1+":    {Run: "name/1+", WholeRun: true},
		"s0:007/02+": {Run: "s0", K: 7, J: 2, Sign: 1},
		"s0:#0":      {Run: "s0", ByNumber: true},
		"@1:#37":     {Run: "@1", ByNumber: true, Number: 37},
	} {
		if got, err := report.ParseRef(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseRefRefuses(t *testing.T) {
	for _, text := range []string{
		":", ":1", ":#1",
		"s0:", "s0:x", "s0:-1", "s0:+1", "s0: 1", "s0:1.0", "s0:1e2", "s0:99999999999999999999", "s0:2147483647",
		"s0:0:0",
		"s0:0/", "s0:0/1", "s0:0/+", "s0:0/0+", "s0:0/-1+", "s0:0/+1+", "s0:0/1++", "s0:0/1+-", "s0:0/1−+",
		"s0:0/99999999999999999999+", "s0:0/1/1+", "s0:/1+",
		"s0:#", "s0:#x", "s0:#-1", "s0:#+1", "s0:##1", "s0:#1/1+", "s0:0#1", "s0:#99999999999999999999",
	} {
		if got, err := report.ParseRef(text); !errors.Is(err, report.ErrRef) || schema.Remedy(err) == "" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// TestParseRefOf: the kind of a reference follows from its form alone, and each kind that is not expected is refused
// in the same words.
func TestParseRefOf(t *testing.T) {
	kinds := map[string]report.RefKind{
		"s0": report.RefRun, "@1": report.RefRun, "s0:37": report.RefIteration, "@1:37": report.RefIteration,
		"s0:#37": report.RefOption, "s0:3/1-": report.RefOption, "@2:3/1+": report.RefOption,
	}
	for text, kind := range kinds {
		for _, expected := range []report.RefKind{report.RefRun, report.RefIteration, report.RefOption} {
			got, err := report.ParseRefOf(text, expected)
			if expected == kind {
				if err != nil || got.Kind() != kind {
					t.Errorf("%s: %+v, %v", text, got, err)
				}
				continue
			}
			want := fmt.Sprintf("invalid reference: %s is %s, and %s is expected", text, kind, expected)
			if !errors.Is(err, report.ErrRef) || err.Error() != want || schema.Remedy(err) == "" {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	}
	_, err := report.ParseRefOf("tag=a", report.RefRun, report.RefIteration, report.RefOption)
	if want := "tag=a is a filter, and a run, an iteration or an option is expected"; !errors.Is(err, report.ErrRef) ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	for _, text := range []string{"tga=a", "=", "s0:", "s0:3/1"} {
		if _, err := report.ParseRefOf(text, report.RefRun); !errors.Is(err, report.ErrRef) || schema.Remedy(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestFindOption numbers options over the iterations of a run.
func TestFindOption(t *testing.T) {
	iterations := make([]schema.Iteration, 3)
	for k, options := range []int{2, 0, 3} {
		for range options {
			iterations[k].Records = append(iterations[k].Records, schema.Entry{Kind: schema.KindOption})
		}
	}
	run := &recorded.Records{Iterations: iterations}
	for number, want := range [][2]int{{0, 0}, {0, 1}, {2, 0}, {2, 1}, {2, 2}} {
		if k, at, err := report.FindOption(run, number); err != nil || [2]int{k, at} != want {
			t.Errorf("option %d: iteration %d, place %d, %v, want %v", number, k, at, err, want)
		}
	}
	for number, in := range map[int][]schema.Iteration{5: iterations, 0: iterations[1:2], 1 << 30: iterations} {
		_, _, err := report.FindOption(&recorded.Records{Iterations: in}, number)
		if !errors.Is(err, report.ErrNoOptionNumber) || schema.Remedy(err) == "" {
			t.Errorf("option %d: %v", number, err)
		}
	}
	if got := recorded.FirstNumbers(iterations); !slices.Equal(got, []int{0, 2, 2, 5}) {
		t.Errorf("first numbers %v", got)
	}
}

// TestOptionRef: what a report names can be typed again.
func TestOptionRef(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := report.Ref{
			Run: "s0", K: rapid.IntRange(0, 1000).Draw(t, "k"), J: rapid.IntRange(1, 1<<20).Draw(t, "j"),
			Sign: rapid.SampledFrom([]int{1, -1}).Draw(t, "sign"),
		}
		if got, err := report.ParseRef(report.OptionRef("s0", want.K, want.J, want.Sign)); err != nil ||
			got != want {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	})
}
