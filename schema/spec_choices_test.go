package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestFieldTexts sets fields in order, and reads the last one back in its canonical form.
func TestFieldTexts(t *testing.T) {
	for _, c := range []struct{ set, want string }{ // "" where it is refused
		{"feature_scale=none", "none"}, {"feature_scale=", "none"}, {"feature_scale=rms", "rms"},
		{"feature_scale=RMS", ""}, {"method=successor feature_scale=rms", ""},
		{"method=successor feature_scale=none", "none"},

		{"learner=lspi initiation=any", "any"}, {"learner=lspi initiation=", "any"},
		{"learner=lspi initiation=observed", "observed"}, {"learner=q-learning initiation=observed", "observed"},
		{"learner=lspi initiation=everywhere", ""}, {"learner=empirical initiation=observed", ""},
		{"learner=sweeps initiation=observed", ""},
		{"method=covering select=top=1 initiation=ends", "ends"}, {"method=covering select=top=1 initiation=any", "any"},
		{"learner=lspi method=covering select=top=1 initiation=ends", "ends"}, {"initiation=ends", ""},
		{"method=laplacian select=top=1 initiation=ends", ""}, {"learner=lspi initiation=ends", ""},
		{"method=covering select=top=1 initiation=end", ""},

		{"option_probability=0", "0"}, {"option_probability=-0", "0"}, {"option_probability=0.05", "0.05"},
		{"option_probability=1", "1"}, {"option_probability=1e-9", "1e-09"}, {"option_probability=-0.1", ""},
		{"option_probability=1.01", ""}, {"option_probability=Inf", ""}, {"option_probability=NaN", ""},
		{"option_probability=often", ""},

		{"select=all basis=posterior", "posterior"}, {"basis=posterior", ""}, {"basis=posterior select=top=3", ""},
		{"basis=posterior select=none", ""}, {"select=all basis=posterior method=laplacian", ""},
		{"select=all basis=posterior feature_scale=rms", ""}, {"select=all basis=posterior sides=one", "one"},
		{"select=all basis=posterior ridge=0.01", "0.01"}, {"select=all basis=posterior ridge=1e-4", "0.0001"},
		{"select=all basis=posterior ridge=0", ""}, {"select=all basis=posterior ridge=-0", ""},
		{"select=all basis=posterior ridge=-1", ""}, {"select=all basis=posterior ridge=1e-13", ""},
		{"select=all basis=posterior ridge=1e13", ""}, {"select=all basis=posterior ridge=NaN", ""},
		{"select=all basis=posterior ridge=Inf", ""}, {"basis=random ridge=0.1", ""}, {"ridge=0.01", "0.01"},

		{"behaviour=uniform", "uniform"}, {"behaviour=", "uniform"}, {"behaviour=zeta=2", "zeta=2"},
		{"behaviour=zeta=032", "zeta=32"}, {"behaviour=zeta=33", ""}, {"behaviour=zeta=1", ""},
		{"behaviour=zeta=1.5", ""}, {"behaviour=zeta=0", ""}, {"behaviour=zeta=-2", ""}, {"behaviour=zeta", ""},
		{"behaviour=zeta=99999999999999999999", ""}, {"behaviour=zeta=2=2", ""}, {"behaviour=levy=2", ""},
		{"behaviour=geometric=200", "geometric=200"}, {"behaviour=geometric=2.50", "geometric=2.5"},
		{"behaviour=geometric=1e6", "geometric=1e+06"}, {"behaviour=geometric=1099511627776", "geometric=1.099511627776e+12"},
		{"behaviour=geometric=1099511627777", ""}, {"behaviour=geometric=1", ""}, {"behaviour=geometric=0.5", ""},
		{"behaviour=geometric=NaN", ""}, {"behaviour=geometric=Inf", ""}, {"behaviour=geometric=-5", ""},
		{"behaviour=geometric=", ""}, {"behaviour=geometric", ""},

		{"sides=two", "two"}, {"sides=", "two"}, {"sides=one", "one"}, {"sides=published", "published"}, {"sides=both", ""},

		{"leave_out=none", "none"}, {"leave_out=", "none"}, {"leave_out=0", "0"}, {"leave_out=3+17", "3+17"},
		{"leave_out=3+3", ""}, {"leave_out=17+3", ""}, {"leave_out=x", ""}, {"leave_out=3,17", ""}, {"leave_out=-1", ""},
		{"leave_out=3+", ""}, {"leave_out=99999999999", ""},

		{"method=successor state_set=all", "all"}, {"method=laplacian state_set=visited", "visited"},
		{"state_set=visited", ""}, {"method=successor-features state_set=visited", ""},
		{"method=laplacian state_set=seen", ""},
		{"method=successor psi_gamma=0", "0"}, {"method=successor psi_gamma=0.5", "0.5"},
		{"method=successor-features psi_gamma=0.5", "0.5"}, {"method=successor psi_gamma=0.99", "0"}, // that of the options
		{"method=laplacian psi_gamma=0.5", ""}, {"method=successor psi_gamma=1", ""},
		{"method=successor psi_gamma=-0.5", ""}, {"method=successor psi_gamma=NaN", ""},
		{"method=successor psi_passes=1", "1"}, {"method=successor psi_passes=10", "10"},
		{"method=successor-features psi_passes=65536", "65536"}, {"method=successor psi_passes=65537", ""},
		{"method=successor psi_passes=0", ""}, {"method=successor psi_passes=-1", ""}, {"psi_passes=1", "1"},
		{"psi_passes=2", ""}, {"method=laplacian psi_passes=2", ""}, {"method=successor psi_passes=ten", ""},
		{"method=successor psi_part=symmetric", "symmetric"}, {"method=successor psi_part=whole", "whole"},
		{"method=successor psi_part=", "whole"}, {"method=successor psi_part=half", ""}, {"psi_part=symmetric", ""},
		{"method=successor-features psi_part=symmetric", ""},
		{"restart=never", "never"}, {"restart=", "never"}, {"restart=iteration", "iteration"}, {"restart=episode", ""},
		{"select=top=1 method=covering", "covering"}, {"select=top=2 method=covering", ""}, {"method=covering", ""},
		{"select=top=1 basis=rows-of-v method=covering", ""}, {"method=counts", "counts"},
	} {
		s := paper()
		var err error
		var field, text string
		for _, pair := range strings.Fields(c.set) {
			field, text, _ = strings.Cut(pair, "=")
			err = errors.Join(err, s.Set(field, text))
		}
		err = errors.Join(err, s.Validate())
		if got, _ := s.Get(field); errors.Is(err, schema.ErrSpec) != (c.want == "") || c.want != "" && got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.set, got, err, c.want)
		}
	}
}

// TestRecordsSelection: the paper's selection is recorded only if it chooses signs.
func TestRecordsSelection(t *testing.T) {
	s := paper()
	two := s.RecordsSelection()
	s.Sides = schema.OneSided
	if two || !s.RecordsSelection() {
		t.Errorf("recorded with two sides: %v, with one: %v", two, s.RecordsSelection())
	}
}

// TestLifetime reads lifetimes in their canonical form.
func TestLifetime(t *testing.T) {
	for text, want := range map[string]struct {
		lifetime schema.Lifetime
		n        int
	}{
		"keep": {schema.KeepOptions, 0}, "": {schema.KeepOptions, 0}, "replace": {schema.ReplaceOptions, 1},
		"last=1": {schema.ReplaceOptions, 1}, "last=2": {"last=2", 2}, "last=007": {"last=7", 7},
		"last=1073741824": {"last=1073741824", 1 << 30},
	} {
		s := paper()
		err := errors.Join(s.Set("lifetime", text), s.Validate())
		if err != nil || s.Options != want.lifetime || s.Options.Iterations() != want.n {
			t.Errorf("%q: %q of %d iterations, %v", text, s.Options, s.Options.Iterations(), err)
		}
		s = paper()
		s.Options = schema.Lifetime(text) // as of a file
		if err := s.Validate(); err != nil || s.Options != want.lifetime {
			t.Errorf("%q of a file: %q, %v", text, s.Options, err)
		}
	}
	for _, text := range []string{"last", "last=", "last=0", "last=-1", "last=x", "last=1073741825", "Keep", "replace=1"} {
		s := paper()
		s.Options = schema.Lifetime(text)
		if err := s.Validate(); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%q: %v", text, err)
		}
		if err := s.Set("lifetime", text); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestFirstAvailable: iteration 5 has the options of 0 to 4, of 4, or of 3 and 4.
func TestFirstAvailable(t *testing.T) {
	for lifetime, want := range map[schema.Lifetime][3]int{
		schema.KeepOptions: {0, 0, 0}, schema.ReplaceOptions: {0, 0, 4}, "last=2": {0, 0, 3}, "last=9": {0, 0, 0},
	} {
		s := schema.Spec{Options: lifetime}
		if got := [3]int{s.FirstAvailable(0), s.FirstAvailable(1), s.FirstAvailable(5)}; got != want {
			t.Errorf("%q: from %v on, want %v", lifetime, got, want)
		}
	}
}

// TestAutoOptionSteps: a twentieth of an iteration, a fifth of an episode, from 2 up to the default.
func TestAutoOptionSteps(t *testing.T) {
	for _, c := range []struct{ steps, episode, want int64 }{
		{1000, 0, 50}, {1000, 500, 50}, {1000, 200, 40}, {1000, 100, 20}, {10, 0, 2}, {1000, 3, 2},
		{1 << 40, 0, schema.DefaultMaxOptionSteps}, {20000, 256, 51},
	} {
		if got := schema.AutoOptionSteps(c.steps, c.episode); got != c.want {
			t.Errorf("%d steps, episodes of %d: %d, want %d", c.steps, c.episode, got, c.want)
		}
	}
}
