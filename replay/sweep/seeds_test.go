package sweep

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// drawSeeds draws seeds of which some are neighbours, and some as large as can be.
func drawSeeds(t *rapid.T) Seeds {
	var seeds Seeds
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

// TestSeedsRoundTrip: what is written is read as the same seeds, and what is read in
// any order is written in one form.
func TestSeedsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seeds := drawSeeds(t)
		back, err := ParseSeeds(seeds.String())
		if err != nil || !slices.Equal(back, seeds) {
			t.Fatalf("%s reads as %v, %v", seeds, back, err)
		}
		shuffled := rapid.Permutation(slices.Concat(seeds, seeds)).Draw(t, "order")
		text := ""
		for _, s := range shuffled {
			text += "," + Seeds{s}.String()
		}
		if back, err = ParseSeeds(text[1:]); err != nil || back.String() != seeds.String() {
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
		if seeds, err := ParseSeeds(text); err != nil || seeds.String() != want {
			t.Errorf("%s reads as %s, %v; want %s", text, seeds, err, want)
		}
	}
	for _, text := range []string{
		"", " ", ",", "1,", ",1", "-", "1-", "-1", "1--2", "1-2-3", "3-1", "x", "0x1", "1.5e0", "+1", "1.5", "1 ,2",
		"1;2",
		// more than MaxSeeds
		"18446744073709551616", "0-18446744073709551615", "0-1000000", "0-999999,1000000", "0-999999,5",
	} {
		if seeds, err := ParseSeeds(text); err == nil || schema.Remedy(err) == "" {
			t.Errorf("%q reads as %d seeds, %v", text, len(seeds), err)
		}
	}
}
