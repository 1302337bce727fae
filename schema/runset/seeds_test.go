package runset_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// drawSeeds draws seeds of which some are neighbours, and some as large as can be.
func drawSeeds(t *rapid.T) []uint64 {
	var seeds []uint64
	for range rapid.IntRange(1, 6).Draw(t, "stretches") {
		first := rapid.OneOf(rapid.Uint64Range(0, 40), rapid.Uint64()).Draw(t, "first")
		for i := range uint64(rapid.IntRange(1, 5).Draw(t, "length")) {
			if first+i >= first {
				seeds = append(seeds, first+i)
			}
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds)
}

// TestSeedsRoundTrip: the text of seeds is parsed as the same seeds, seeds parsed in any order have one text,
// and a set equals the set of its listed seeds.
func TestSeedsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawSeeds(t)
		seeds := runset.SeedSet(rapid.Permutation(slices.Concat(list, list)).Draw(t, "order")...)
		if got := slices.Collect(seeds.All()); !slices.Equal(got, list) || seeds.Len() != len(list) {
			t.Fatalf("%d seeds, %v; want %v", seeds.Len(), got, list)
		}
		for i, want := range list {
			if got := seeds.At(i); got != want {
				t.Fatalf("seed %d is %d, want %d", i, got, want)
			}
			for _, s := range []uint64{want - 1, want, want + 1} {
				if seeds.Contains(s) != slices.Contains(list, s) {
					t.Fatalf("%s: contains %d: %v", seeds, s, seeds.Contains(s))
				}
			}
		}
		back, err := runset.ParseSeeds(seeds.String())
		if err != nil || !back.Equal(seeds) {
			t.Fatalf("%s reads as %s, %v", seeds, back, err)
		}
		text := ""
		for _, s := range rapid.Permutation(slices.Concat(list, list)).Draw(t, "order of texts") {
			text += "," + runset.SeedSet(s).String()
		}
		if back, err = runset.ParseSeeds(text[1:]); err != nil || back.String() != seeds.String() {
			t.Fatalf("%s reads as %s, %v; want %s", text[1:], back, err, seeds)
		}
	})
}

func TestSeedsText(t *testing.T) {
	for text, want := range map[string]string{
		"0":                    "0",
		"7-9,3,0":              "0,3,7-9",
		"0-3,2-5":              "0-5",
		"1,2":                  "1-2",
		"18446744073709551615": "18446744073709551615",
		"18446744073709551614-18446744073709551615": "18446744073709551614-18446744073709551615",
		"0-999999": "0-999999", // MaxSeeds
	} {
		if seeds, err := runset.ParseSeeds(text); err != nil || seeds.String() != want {
			t.Errorf("%s reads as %s, %v; want %s", text, seeds, err, want)
		}
	}
	for _, text := range []string{
		"", " ", ",", "1,", ",1", "-", "1-", "-1", "1--2", "1-2-3", "3-1", "x", "0x1", "1.5e0", "+1", "1.5", "1 ,2",
		"1;2",
		// more than MaxSeeds
		"18446744073709551616", "0-18446744073709551615", "0-1000000", "0-999999,1000000", "0-999999,5",
	} {
		if seeds, err := runset.ParseSeeds(text); err == nil || schema.Remedy(err) == "" {
			t.Errorf("%q reads as %d seeds, %v", text, seeds.Len(), err)
		}
	}
}

func FuzzParseSeeds(f *testing.F) {
	for _, text := range []string{"0", "0-9", "3,1,2", "18446744073709551615", "0-999999,1", "5-3", "", ",", "1-2-3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seeds, err := runset.ParseSeeds(text)
		if err != nil {
			return
		}
		again, err := runset.ParseSeeds(seeds.String())
		if err != nil || again.String() != seeds.String() || seeds.Len() == 0 || seeds.Len() > runset.MaxSeeds {
			t.Errorf("%q is %d seeds, %q, %v", text, seeds.Len(), seeds, err)
		}
	})
}
