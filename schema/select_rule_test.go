package schema_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestSelectForms: every rule has one canonical text, to which Validate brings all its forms.
func TestSelectForms(t *testing.T) {
	tests := []struct{ given, want string }{ // "" where it is refused
		{"threshold", "threshold"},
		{"threshold:sigma", "threshold"},
		{"threshold:sigma2", "threshold:sigma2"},
		{"threshold:rms", "threshold:rms"},
		{"top=3", "top=3"},
		{"top=+03", "top=3"},
		{"top=1048576", "top=1048576"},
		{"energy=0.90", "energy=0.9"},
		{"energy=1", "energy=1"},
		{"energy=5e-324", "energy=5e-324"},
		{"sample=2", "sample=2"},
		{"novel=.5", "novel=0.5"},
		{"novel=-0", "novel=0"},
		{"novel=0.9999999999999999", "novel=0.9999999999999999"},

		{"all", "all"}, {"all=1", ""}, {"every", ""},

		{"", ""}, {"Threshold", ""}, {" threshold", ""}, {"threshold=1", ""}, {"threshold:", ""},
		{"threshold:sigma2=1", ""}, {"threshold:sigma3", ""},
		{"top", ""}, {"top=", ""}, {"top=0", ""}, {"top=-1", ""}, {"top=2.5", ""}, {"top=1048577", ""},
		{"top=99999999999999999999", ""}, {"top=1=1", ""}, {"top=0x2", ""},
		{"energy=0", ""}, {"energy=1.0000001", ""}, {"energy=NaN", ""}, {"energy=-0.5", ""}, {"energy=90%", ""},
		{"energy", ""},
		{"sample=0", ""}, {"sample=Inf", ""},
		{"novel=1", ""}, {"novel=-0.1", ""}, {"novel=nan", ""}, {"novel=", ""},
	}
	for _, tt := range tests {
		s := paper()
		s.Select = schema.Select(tt.given)
		err := s.Validate()
		if tt.want == "" {
			if !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
				t.Errorf("%q: %v with remedy %q, want ErrSpec with one", tt.given, err, schema.Remedy(err))
			}
			continue
		}
		if err != nil || string(s.Select) != tt.want {
			t.Errorf("%q is %q, %v; want %q", tt.given, s.Select, err, tt.want)
		}
	}
}

// TestSelectWithoutKappa: if a rule does not use κ, it is 0 in the canonical form, whatever was given.
func TestSelectWithoutKappa(t *testing.T) {
	for given, want := range map[schema.Select]float64{"top=3": 0, "energy=0.5": 0, "sample=3": 7, "novel=0.5": 7,
		"threshold:rms": 7, "threshold": 7} {
		for _, kappa := range []float64{7, math.NaN()} {
			s := paper()
			s.Select, s.Kappa = given, kappa
			err := s.Validate()
			if refused := math.IsNaN(kappa) && want != 0; (err != nil) != refused || !refused && s.Kappa != want {
				t.Errorf("%s with κ %v: %v, %v", given, kappa, s.Kappa, err)
			}
		}
	}
}

// TestSelectRoundTrip: a rule is read back from its canonical text.
func TestSelectRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]schema.Rule{
			{By: schema.BySigma}, {By: schema.BySquare}, {By: schema.ByRMS}, {By: schema.Below}, {By: schema.ByNothing},
			{By: schema.ByRank, N: rapid.IntRange(1, schema.MaxSelected).Draw(t, "n")},
			{By: schema.BySample, N: rapid.IntRange(1, schema.MaxSelected).Draw(t, "drawn")},
			{By: schema.ByEnergy, Limit: rapid.Float64Range(math.SmallestNonzeroFloat64, 1).Draw(t, "share")},
			{By: schema.ByNovelty, Limit: rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "cosine")},
		}).Draw(t, "rule")
		if back, err := r.Canonical().ParseRule(); err != nil || back != r {
			t.Fatalf("%+v is %q, which reads as %+v, %v", r, r.Canonical(), back, err)
		}
	})
}
