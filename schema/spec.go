package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Spec is everything that decides the outcome of a run, and nothing else. It does not
// contain the number of iterations: a run is the infinite sequence that its spec
// determines, and its target can be raised.
type Spec struct {
	Numerics  uint64  `cbor:"numerics" json:"numerics"`
	Env       Env     `cbor:"env" json:"env"`
	Seed      uint64  `cbor:"seed" json:"seed"`
	Steps     int64   `cbor:"steps" json:"steps"`         // n_R, steps an iteration
	Kappa     float64 `cbor:"kappa" json:"kappa"`         // noise threshold on σ
	Gamma     float64 `cbor:"gamma" json:"gamma"`         // discount of the eigenbehaviours
	Sweeps    int64   `cbor:"sweeps" json:"sweeps"`       // most sweeps, or rounds of another learner; 0 for none
	Tolerance float64 `cbor:"tolerance" json:"tolerance"` // under which values are equal
	Basis     Basis   `cbor:"basis" json:"basis"`
	Dataset   Dataset `cbor:"dataset" json:"dataset"`
	Select    Select  `cbor:"select" json:"select"`
	Learner   Learner `cbor:"learner" json:"learner"`

	// Data is the [DataDigest] of the records that iteration 0 is given instead of
	// acting, zero if there are none.
	Data Digest `cbor:"data,omitzero" json:"data,omitzero"`

	// Method is the matrix whose directions are the purposes, empty for [POD].
	Method Method `cbor:"method,omitempty" json:"method,omitempty"`

	// MaxOptionSteps is the number of steps after which an option call is truncated, if
	// the learner does not prove that options terminate; 0 if it does.
	MaxOptionSteps int64 `cbor:"max_option_steps,omitempty" json:"max_option_steps,omitempty"`
}

// Method is how purposes are discovered from transitions, one of [Methods].
type Method string

// Lambda returns the eigenvalue of the normalised Laplacian for a singular value σ, which
// is one of 2I − L. It returns nil for other methods.
func (m Method) Lambda(sigma float64) *float64 {
	e, _, _ := Methods.Newest(string(m))
	if e.lambda == nil {
		return nil
	}
	lambda := e.lambda(sigma)
	return &lambda
}

// Basis is which vectors are the eigenpurposes.
type Basis string

// Dataset is which transitions D contains.
type Dataset string

// Select is which eigenpurposes become options. [Select.ParseRule] parses it.
type Select string

// Learner is how an eigenbehaviour is learned, one of [Learners].
type Learner string

// The values of the choices.
const (
	POD           Method  = "pod"            // singular vectors of the feature differences
	Laplacian     Method  = "laplacian"      // of the normalised Laplacian of the observed transitions
	Successor     Method  = "successor"      // of the successor representation
	RightSingular Basis   = "right-singular" // rows of Vᵀ, as in Definition 3.1
	RowsOfV       Basis   = "rows-of-v"      // rows of V = DᵀUΣ⁺
	PerIteration  Dataset = "iteration"      // D emptied, as in Algorithm 1
	Cumulative    Dataset = "cumulative"     // D kept
	Threshold     Select  = "threshold"      // σ > κ
	Sweeps        Learner = "sweeps"         // synchronous value iteration from 0
	Exact         Learner = "exact"          // its fixed point, by label setting on a deterministic model
	Empirical     Learner = "empirical"      // sweeps on the model that the observed transitions make
	LSPI          Learner = "lspi"           // least-squares policy iteration on observed transitions
	QLearning     Learner = "q-learning"     // on the recorded stream of transitions
)

// Limits of a spec. They keep every count an exact int64 and every loop finite.
const (
	MaxSteps  = 1 << 40
	MaxSweeps = 1 << 30
)

// readings are the names of combinations of basis and dataset. A reading is derived, never
// stored.
var readings = []struct {
	name    string
	basis   Basis
	dataset Dataset
}{
	{"as-written", RightSingular, PerIteration},
	{"as-published", RowsOfV, Cumulative},
}

// Reading returns the name of the spec's combination of basis and dataset, or the two
// joined by + if it has no name.
func (s Spec) Reading() string {
	for _, r := range readings {
		if r.basis == s.Basis && r.dataset == s.Dataset {
			return r.name
		}
	}
	return string(s.Basis) + "+" + string(s.Dataset)
}

// Readings returns the names that [Spec.SetReading] accepts.
func Readings() []string {
	var names []string
	for _, r := range readings {
		names = append(names, r.name)
	}
	return names
}

// SetReading sets basis and dataset to those of the named reading, or returns [ErrSpec].
func (s *Spec) SetReading(name string) error {
	for _, r := range readings {
		if r.name == name {
			s.Basis, s.Dataset = r.basis, r.dataset
			return nil
		}
	}
	return invalid("reading", name, "use one of %v", Readings())
}

// Set sets the named field from text. It returns [ErrSpec] if the text cannot be parsed;
// [Spec.Validate] and the environment check the value itself. After an error the spec is
// unchanged.
func (s *Spec) Set(name, value string) error {
	changed := *s
	err := changed.set(name, value)
	if err == nil {
		*s = changed
	}
	return err
}

func (s *Spec) set(name, value string) (err error) {
	switch name {
	case "env":
		s.Env.Name = value
	case "seed":
		s.Seed, err = strconv.ParseUint(value, 10, 64)
	case "steps":
		s.Steps, err = strconv.ParseInt(value, 10, 64)
	case "kappa":
		s.Kappa, err = strconv.ParseFloat(value, 64)
	case "gamma":
		s.Gamma, err = strconv.ParseFloat(value, 64)
	case "sweeps":
		s.Sweeps, err = strconv.ParseInt(value, 10, 64)
	case "tolerance":
		s.Tolerance, err = strconv.ParseFloat(value, 64)
	case "basis":
		s.Basis = Basis(value)
	case "dataset":
		s.Dataset = Dataset(value)
	case "select":
		s.Select = Select(value)
	case "method":
		s.Method = Method(value)
		if value == string(POD) {
			s.Method = ""
		}
	case "max_option_steps":
		s.MaxOptionSteps, err = strconv.ParseInt(value, 10, 64)
	case "learner":
		s.Learner = Learner(value)
	case "numerics":
		s.Numerics, err = strconv.ParseUint(value, 10, 64)
	case "reading":
		return s.SetReading(value)
	case "data":
		return Advise(fmt.Errorf("%w: data cannot be set", ErrSpec),
			AdviceImportData)
	default:
		err = s.setParameter(name, value)
		if errors.Is(err, ErrSpec) {
			return err
		}
	}
	if err != nil {
		return invalid(name, value, "give a %s", describeValue(name))
	}
	return nil
}

// setParameter sets a parameter of the environment.
func (s *Spec) setParameter(name, value string) (err error) {
	_, number := s.Env.Params[name]
	_, text := s.Env.Text[name]
	s.Env = s.Env.Clone()
	switch {
	case number:
		s.Env.Params[name], err = strconv.ParseInt(value, 10, 64)
	case text:
		s.Env.Text[name] = value
	default:
		err = Hint(fmt.Errorf("%w: no field %q", ErrSpec, name), "the fields are %v", s.fieldNames())
	}
	return err
}

func describeValue(name string) string {
	switch name {
	case "kappa", "gamma", "tolerance":
		return "number such as 0.99"
	case "seed", "numerics":
		return "whole number from 0 to 18446744073709551615"
	}
	return "whole number"
}

func (s Spec) fieldNames() []string {
	var names []string
	for _, f := range s.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// Validate returns [ErrSpec] if no run can have this spec; it does not check the
// environment's parameters. It brings the spec into its canonical form: no negative zero,
// no sweeps if the learner does none, no κ if the rule does not use it, and a limit on
// option steps if one is needed.
func (s *Spec) Validate() error {
	s.Kappa, s.Gamma, s.Tolerance = s.Kappa+0, s.Gamma+0, s.Tolerance+0 // −0 + 0 = 0
	if s.Method == POD {
		s.Method = ""
	}
	rule, unreadable := s.Select.ParseRule()
	if unreadable == nil {
		s.Select = rule.Canonical()
	}
	if unreadable == nil && !rule.UsesKappa() {
		s.Kappa = 0
	}
	switch {
	case s.Numerics != NumericsVersion:
		return Hint(fmt.Errorf("%w: numerics version %d", ErrSpec, s.Numerics),
			"this program computes numerics version %d; use the podtrack that made the spec", NumericsVersion)
	case s.Steps < 1 || s.Steps > MaxSteps:
		return invalid("steps", strconv.FormatInt(s.Steps, 10), "use 1 to %d steps an iteration; the paper's is 1000",
			int64(MaxSteps))
	case !(s.Kappa >= 0) || math.IsInf(s.Kappa, 0):
		return invalid("kappa", formatFloat(s.Kappa), "use a finite number of at least 0; the paper's is 1")
	case !(s.Gamma >= 0 && s.Gamma < 1):
		return invalid("gamma", formatFloat(s.Gamma), "use a number from 0 to under 1; the paper's is 0.99")
	case !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 0):
		return invalid("tolerance", formatFloat(s.Tolerance), "use a finite number of at least 0; the default is 1e-09")
	case s.Basis != RightSingular && s.Basis != RowsOfV:
		return invalid("basis", string(s.Basis), "use %s or %s", RightSingular, RowsOfV)
	case s.Dataset != PerIteration && s.Dataset != Cumulative:
		return invalid("dataset", string(s.Dataset), "use %s or %s", PerIteration, Cumulative)
	case unreadable != nil:
		return unreadable
	}
	if _, err := Methods.Lookup(string(cmp.Or(s.Method, POD)), s.Numerics); err != nil {
		return err
	}
	return s.validateLearner()
}

func invalid(name, value, hint string, args ...any) error {
	return Hint(fmt.Errorf("%w: %s %q", ErrSpec, name, value), hint, args...)
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// MaxSpecJSON is the largest size of a spec as JSON, in bytes.
const MaxSpecJSON = 1 << 20

// ReadJSON reads a spec as JSON over s. A field that the document omits keeps its value,
// except the parameters of an environment of another name. Unknown fields are refused with
// [ErrSpec]. After an error s is unchanged.
func (s *Spec) ReadJSON(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, MaxSpecJSON+1))
	if err != nil {
		return err
	}
	changed := *s
	changed.Env = s.Env.Clone() // decoding writes into the maps
	if err := changed.decodeJSON(data); err != nil || len(data) > MaxSpecJSON {
		return Advise(fmt.Errorf("%w: %w", ErrSpec, cmp.Or(err, errTooLong)), AdvicePrintSpec)
	}
	*s = changed
	return nil
}

var errTooLong = errors.New("more than 1 MiB of JSON")

func (s *Spec) decodeJSON(data []byte) error {
	if err := checkJSONKeys(data); err != nil {
		return err
	}
	var other struct{ Env struct{ Name string } }
	if json.Unmarshal(data, &other) == nil && other.Env.Name != "" && other.Env.Name != s.Env.Name {
		s.Env = Env{}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return err
	}
	if _, end := d.Token(); end != io.EOF {
		return errors.New("something follows the JSON document")
	}
	return nil
}
