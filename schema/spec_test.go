package schema_test

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name   string
		change func(*schema.Spec)
		ok     bool
	}{
		{"the paper's", func(s *schema.Spec) {}, true},
		{"numerics 0", func(s *schema.Spec) { s.Numerics = 0 }, false},
		{"numerics 1", func(s *schema.Spec) { s.Numerics = 1 }, false},
		{"numerics 3", func(s *schema.Spec) { s.Numerics = 3 }, false},
		{"steps -1", func(s *schema.Spec) { s.Steps = -1 }, false},
		{"steps 0", func(s *schema.Spec) { s.Steps = 0 }, false},
		{"steps 1", func(s *schema.Spec) { s.Steps = 1 }, true},
		{"steps 2^40", func(s *schema.Spec) { s.Steps = 1 << 40 }, true},
		{"steps 2^40+1", func(s *schema.Spec) { s.Steps = 1<<40 + 1 }, false},
		{"kappa 0", func(s *schema.Spec) { s.Kappa = 0 }, true},
		{"kappa the largest", func(s *schema.Spec) { s.Kappa = math.MaxFloat64 }, true},
		{"kappa negative", func(s *schema.Spec) { s.Kappa = -5e-324 }, false},
		{"kappa NaN", func(s *schema.Spec) { s.Kappa = nan }, false},
		{"kappa +Inf", func(s *schema.Spec) { s.Kappa = inf }, false},
		{"kappa -Inf", func(s *schema.Spec) { s.Kappa = -inf }, false},
		{"gamma 0", func(s *schema.Spec) { s.Gamma = 0 }, true},
		{"gamma 1", func(s *schema.Spec) { s.Gamma = 1 }, false},
		{"gamma -0.1", func(s *schema.Spec) { s.Gamma = -0.1 }, false},
		{"gamma NaN", func(s *schema.Spec) { s.Gamma = nan }, false},
		{"gamma +Inf", func(s *schema.Spec) { s.Gamma = inf }, false},
		{"sweeps -5", func(s *schema.Spec) { s.Sweeps = -5 }, false},
		{"sweeps 0", func(s *schema.Spec) { s.Sweeps = 0 }, false},
		{"sweeps 1", func(s *schema.Spec) { s.Sweeps = 1 }, true},
		{"sweeps 2^30", func(s *schema.Spec) { s.Sweeps = 1 << 30 }, true},
		{"sweeps 2^30+1", func(s *schema.Spec) { s.Sweeps = 1<<30 + 1 }, false},
		{"tolerance 0", func(s *schema.Spec) { s.Tolerance = 0 }, true},
		{"tolerance negative", func(s *schema.Spec) { s.Tolerance = -1e-9 }, false},
		{"tolerance NaN", func(s *schema.Spec) { s.Tolerance = nan }, false},
		{"tolerance +Inf", func(s *schema.Spec) { s.Tolerance = inf }, false},
		{"basis rows-of-v", func(s *schema.Spec) { s.Basis = "rows-of-v" }, true},
		{"basis unknown", func(s *schema.Spec) { s.Basis = "Right-Singular" }, false},
		{"basis empty", func(s *schema.Spec) { s.Basis = "" }, false},
		{"dataset cumulative", func(s *schema.Spec) { s.Dataset = "cumulative" }, true},
		{"dataset unknown", func(s *schema.Spec) { s.Dataset = "all" }, false},
		{"select unknown", func(s *schema.Spec) { s.Select = "best" }, false},
		{"select top", func(s *schema.Spec) { s.Select = "top=3" }, true},
		{"learner empirical", func(s *schema.Spec) { s.Learner = "empirical" }, true},
		{"learner lspi", func(s *schema.Spec) { s.Learner = "lspi" }, true},
		{"learner q-learning", func(s *schema.Spec) { s.Learner = "q-learning" }, true},
		{"learner unknown", func(s *schema.Spec) { s.Learner = "sarsa" }, false},
		{"lspi, no sweeps", func(s *schema.Spec) { s.Learner, s.Sweeps = "lspi", 0 }, false},
		{"sweeps, bounded options", func(s *schema.Spec) { s.MaxOptionSteps = 1000 }, false},
		{"exact, bounded options", func(s *schema.Spec) { s.Learner, s.MaxOptionSteps = "exact", 1 }, false},
		{"lspi, options of 1 step", func(s *schema.Spec) { s.Learner, s.MaxOptionSteps = "lspi", 1 }, true},
		{"lspi, options of -1 steps", func(s *schema.Spec) { s.Learner, s.MaxOptionSteps = "lspi", -1 }, false},
		{"zero", func(s *schema.Spec) { *s = schema.Spec{} }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := paper()
			tt.change(&s)
			err := s.Validate()
			if tt.ok && err != nil {
				t.Fatal(err)
			}
			if !tt.ok && (!errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "") {
				t.Errorf("%v with remedy %q, want ErrSpec with one", err, schema.Remedy(err))
			}
		})
	}
}

// TestNegativeZero: −0 and 0 are the same run, and so are an empty list of options left out and none.
func TestNegativeZero(t *testing.T) {
	negative := math.Copysign(0, -1)
	a, b := paper(), paper()
	a.Kappa, a.Gamma, a.Tolerance, a.OptionProbability = negative, negative, negative, negative
	b.Kappa, b.Gamma, b.Tolerance, b.LeaveOut = 0, 0, 0, []uint64{}
	if runID(t, a, nil) == runID(t, b, nil) {
		t.Fatal("−0 encodes as 0, so that this test shows nothing")
	}
	for _, s := range []*schema.Spec{&a, &b} {
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	if runID(t, a, nil) != runID(t, b, nil) {
		t.Error("−0 and 0 have different IDs")
	}
}

func TestSet(t *testing.T) {
	const most = "18446744073709551615" // 2⁶⁴ − 1
	tests := []struct {
		field, value string
		want         string // as Get has it; "" where it is refused
	}{
		{"env", "grid", "grid"},
		{"bits", "8", "8"},
		{"hide", "-1", "-1"}, // for the environment to refuse
		{"bits", "8.5", ""},
		{"bits", "", ""},
		{"rows", "8", ""},
		{"seed", "0", "0"},
		{"seed", most, most},
		{"seed", "18446744073709551616", ""},
		{"seed", "-1", ""},
		{"steps", "2000", "2000"},
		{"steps", "1e-3", ""},
		{"kappa", "0.5", "0.5"},
		{"kappa", "1e-300", "1e-300"},
		{"kappa", "one", ""},
		{"kappa", "1e999", ""},
		{"gamma", ".5", "0.5"},
		{"sweeps", "1", "1"},
		{"sweeps", "many", ""},
		{"tolerance", "0", "0"},
		{"tolerance", "", ""},
		{"basis", "rows-of-v", "rows-of-v"},
		{"dataset", "cumulative", "cumulative"},
		{"select", "threshold", "threshold"},
		{"learner", "sweeps", "sweeps"},
		{"numerics", "2", "2"},
		{"numerics", "-1", ""},
		{"reading", "as-printed", ""},
		{"Seed", "1", ""},
		{"", "1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.field+"="+tt.value, func(t *testing.T) {
			s := paper()
			err := s.Set(tt.field, tt.value)
			if tt.want == "" {
				if !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
					t.Errorf("%v with remedy %q, want ErrSpec with one", err, schema.Remedy(err))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(paper().Fields())
			for i := range want {
				if want[i].Name == tt.field {
					want[i].Value = tt.want
				}
			}
			if diff := cmp.Diff(want, s.Fields()); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSetLeavesCopies: a copied spec has parameters of its own once they are
// set.
func TestSetLeavesCopies(t *testing.T) {
	tests := []struct {
		name string
		set  func(*schema.Spec) error
		want map[string]int64
	}{
		{"Set", func(s *schema.Spec) error { return s.Set("bits", "8") }, map[string]int64{"bits": 8, "hide": 0}},
		{"ReadJSON", func(s *schema.Spec) error { return s.ReadJSON(strings.NewReader(`{"env": {"params": {"hide": 2}}}`)) },
			map[string]int64{"bits": 12, "hide": 2}},
	}
	for _, tt := range tests {
		a := paper()
		b := a
		if err := tt.set(&b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(paper(), a); diff != "" {
			t.Errorf("%s changed the spec that was copied (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.want, b.Env.Params); diff != "" {
			t.Errorf("%s: parameters (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestFields: the fields that a spec shows are exactly those that can be set.
func TestFields(t *testing.T) {
	var names []string
	var rebuilt schema.Spec
	rebuilt.Env = schema.Env{Version: 1, Params: map[string]int64{"bits": -1, "hide": -1}}
	for _, f := range paper().Fields() {
		names = append(names, f.Name)
		if err := rebuilt.Set(f.Name, f.Value); err != nil {
			t.Error(err)
		}
		if got, ok := paper().Get(f.Name); !ok || got != f.Value {
			t.Errorf("Get(%s) = %q, %v, want %q", f.Name, got, ok, f.Value)
		}
	}
	if diff := cmp.Diff(paper(), rebuilt); diff != "" {
		t.Errorf("set from its fields (-want +got):\n%s", diff)
	}
	want := []string{"env", "bits", "hide", "seed", "steps", "kappa", "gamma", "sweeps", "tolerance", "basis",
		"dataset", "select", "learner", "numerics"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if v, ok := paper().Get("n_I"); ok {
		t.Errorf("Get(n_I) = %q", v)
	}
}

// TestReading: each name of a reading stands for its combination of fields.
func TestReading(t *testing.T) {
	tests := []struct {
		basis   schema.Basis
		dataset schema.Dataset
		want    string
		named   bool
	}{
		{"right-singular", "iteration", "as-written", true},
		{"rows-of-v", "cumulative", "as-published", true},
		{"rows-of-v", "iteration", "rows-of-v+iteration", false},
		{"right-singular", "cumulative", "right-singular+cumulative", false},
	}
	for _, tt := range tests {
		s := paper()
		s.Basis, s.Dataset = tt.basis, tt.dataset
		if got := s.Reading(); got != tt.want {
			t.Errorf("%s, %s: reading %s, want %s", tt.basis, tt.dataset, got, tt.want)
		}
		if got := slices.Contains(schema.Readings(), tt.want); got != tt.named {
			t.Errorf("%s among the readings: %v", tt.want, got)
		}
		set := paper()
		if err := set.Set("reading", tt.want); (err == nil) != tt.named {
			t.Errorf("set reading %s: %v", tt.want, err)
		}
		if diff := cmp.Diff(s, set); tt.named && diff != "" {
			t.Errorf("reading %s (-want +got):\n%s", tt.want, diff)
		}
	}
}

func TestReadJSON(t *testing.T) {
	seven := paper()
	seven.Seed = 7
	hidden := paper()
	hidden.Env.Params["hide"] = 3
	largest := paper()
	largest.Seed = math.MaxUint64
	tests := []struct {
		name, document string
		want           *schema.Spec // nil where it is refused
	}{
		{"nothing said", `{}`, new(paper())},
		{"space around", " \n{}\n ", new(paper())},
		{"one field", `{"seed": 7}`, &seven},
		{"one parameter", `{"env": {"params": {"hide": 3}}}`, &hidden},
		{"every bit of a seed", `{"seed": 18446744073709551615}`, &largest},
		{"unknown field", `{"sed": 7}`, nil},
		{"unknown field of env", `{"env": {"path": "x"}}`, nil},
		{"derived field", `{"reading": "as-written"}`, nil},
		{"trailing comma", `{},`, nil},
		{"negative seed", `{"seed": -1}`, nil},
		{"seed too large", `{"seed": 18446744073709551616}`, nil},
		{"kappa text", `{"kappa": "1"}`, nil},
		{"kappa NaN", `{"kappa": NaN}`, nil},
		{"kappa too large", `{"kappa": 1e999}`, nil},
		{"parameter a fraction", `{"env": {"params": {"hide": 0.5}}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := paper()
			err := s.ReadJSON(strings.NewReader(tt.document))
			if tt.want == nil {
				if !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
					t.Errorf("%v with remedy %q, want ErrSpec with one", err, schema.Remedy(err))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(*tt.want, s); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

// endless yields spaces for ever and counts them.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.n += len(p)
	return len(p), nil
}

// TestSpecJSON: documents that encoding/json would take for a spec, and which of their keys are wrong.
func TestSpecJSON(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                                   "not an object",
		`[]`:                                     "not an object",
		` `:                                      "the document is empty",
		`{"seed":1,"seed":2}`:                    `duplicate key "seed"`,
		`{"seed":1,"s\u0065ed":2}`:               `duplicate key "seed"`,
		`{"Seed":1}`:                             `unknown key "Seed", expected "seed"`,
		`{"env":{"name":"ring","Name":"taxi"}}`:  `unknown key "Name", expected "name"`,
		`{"env":{"name":"ring","name":"taxi"}}`:  `duplicate key "name"`,
		`{"env":{"params":{"Bits":3,"bits":4}}}`: "",
		`{"env":{"params":{"bits":3,"bits":4}}}`: `duplicate key "bits"`,
		`{"moon":1}`:                             `unknown field "moon"`,
		`{"seed":1`:                              "the JSON document ends before it is complete",
		`{"seed":1} {}`:                          "data after the JSON document",
		`{"seed":1}]`:                            "data after the JSON document",
		"{\"basis\":\"\xff\"}":                   "invalid UTF-8",
		`{"basis":"\ud800"}`:                     "surrogate",
		`{"env":{"text":{"\udfff":""}}}`:         "surrogate",
		`{"env":{"text":{"\ud83d\ude00\uFFFD\ufffd\n":""}}}`: "",
		`{"env":{"text":{"\\ufffd":""}}}`:                    "",
		`{"seed":1.5}`:                                       "must be an integer",
		" {\"seed\" :\t1 }\n":                                "",
	} {
		var spec schema.Spec
		err := spec.ReadJSON(strings.NewReader(text))
		if want == "" && err != nil || want != "" && (!errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v with remedy %q, want %q", text, err, schema.Remedy(err), want)
		}
	}
}

func TestReadJSONStops(t *testing.T) {
	var s schema.Spec
	source := &endless{}
	if err := s.ReadJSON(source); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("%v, want ErrSpec", err)
	}
	if source.n > 2<<20 {
		t.Errorf("%d bytes were read of a document that may have 1 MiB", source.n)
	}
	broken := errors.New("broken pipe")
	if err := s.ReadJSON(io.MultiReader(strings.NewReader("{"), &failingReader{broken})); !errors.Is(err, broken) {
		t.Errorf("%v, want the reader's error", err)
	}
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }

// TestJSONKeepsID: what `show --spec` prints is the same run when it is read.
func TestJSONKeepsID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		document, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back schema.Spec
		if err := back.ReadJSON(strings.NewReader(string(document))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("read (-want +got):\n%s", diff)
		}
		a, err := schema.RunID(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := schema.RunID(back, nil); err != nil || a != b {
			t.Fatalf("ID %v, %v; want %v", b, err, a)
		}
	})
}

func TestRemedy(t *testing.T) {
	plain := errors.New("it failed")
	inner := schema.Hint(plain, "mend %d things", 2)
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"nil", nil, ""},
		{"no hint", plain, ""},
		{"a hint", inner, "mend 2 things"},
		{"wrapped", errors.Join(plain, inner), "mend 2 things"},
		{"the outermost", schema.Hint(inner, "start again"), "start again"},
	}
	for _, tt := range tests {
		if got := schema.Remedy(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if !errors.Is(inner, plain) || inner.Error() != plain.Error() {
		t.Errorf("a hint changes the error: %v", inner)
	}
}

// TestSetFailureLeaves: a spec is unchanged if a field cannot be set.
func TestSetFailureLeaves(t *testing.T) {
	for _, f := range []string{"bits", "seed", "steps", "kappa", "gamma", "sweeps", "tolerance", "numerics"} {
		s := paper()
		if err := s.Set(f, "99999999999999999999999x"); err == nil {
			t.Errorf("%s was set", f)
		}
		if diff := cmp.Diff(paper(), s); diff != "" {
			t.Errorf("%s (-before +after):\n%s", f, diff)
		}
	}
	s := paper()
	if err := s.ReadJSON(strings.NewReader(`{"seed":7,"steps":"x"}`)); err == nil || s.Seed != paper().Seed {
		t.Errorf("seed %d after %v", s.Seed, err)
	}
}

// TestBoundedOptions: the canonical spec of a learner that does not prove termination limits the steps of
// options.
func TestBoundedOptions(t *testing.T) {
	for _, learner := range []schema.Learner{schema.Empirical, schema.LSPI, schema.QLearning} {
		s := paper()
		s.Learner = learner
		if err := s.Validate(); err != nil || s.MaxOptionSteps != schema.DefaultMaxOptionSteps {
			t.Errorf("%s: %v, options of %d steps", learner, err, s.MaxOptionSteps)
		}
	}
}

// TestCoveringEigenoptions: a spec has the reading if and only if all fields have the values that it sets.
func TestCoveringEigenoptions(t *testing.T) {
	s := paper()
	if err := errors.Join(s.Set("reading", schema.CoveringEigenoptions), s.Validate()); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"reading": "", "basis": "right-singular", "dataset": "cumulative", "select": "top=1", "method": "successor",
		"state_set": "visited", "psi_part": "symmetric", "psi_passes": "10", "sides": "published",
		"option_probability": "0.05", "restart": "iteration", "gamma": "0.99", "psi_gamma": "0",
	} {
		if got, _ := s.Get(field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	if s.Reading() != schema.CoveringEigenoptions || !slices.Contains(schema.AllReadings(), s.Reading()) {
		t.Errorf("reading %s", s.Reading())
	}
	for field, value := range map[string]string{
		"basis": "rows-of-v", "dataset": "iteration", "select": "top=2", "method": "laplacian", "state_set": "all",
		"psi_part": "whole", "psi_passes": "1", "sides": "one", "option_probability": "0.1", "restart": "never",
	} {
		other := s
		if err := other.Set(field, value); err != nil || other.Reading() == schema.CoveringEigenoptions {
			t.Errorf("%s %s: reading %s, %v", field, value, other.Reading(), err)
		}
	}
}
