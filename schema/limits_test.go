package schema_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/wire"
)

// TestLimits: a value at a limit is accepted, and one beyond it is refused.
func TestLimits(t *testing.T) {
	letters := func(n int) string { return strings.Repeat("a", n) }
	numbers := func(n int) (list []uint64) {
		for i := range uint64(n) {
			list = append(list, i)
		}
		return list
	}
	observe := func(n int) error {
		record, err := schema.Observations{Kind: schema.Discrete, Dims: 1, Numbers: make([]uint32, n)}.Encode()
		if err == nil {
			_, err = schema.DecodeObservations(record)
		}
		return err
	}
	spec := func(change func(*schema.Spec)) error {
		s := paper()
		change(&s)
		return s.Validate()
	}
	selected := func(rule string) error { return spec(func(s *schema.Spec) { s.Select = schema.Select(rule) }) }
	lifetime := func(n string) error { return spec(func(s *schema.Spec) { s.Options = schema.Lifetime("last=" + n) }) }
	left := func(n int) error { return spec(func(s *schema.Spec) { s.LeaveOut = numbers(n) }) }
	steps := func(n int64) error {
		return spec(func(s *schema.Spec) { s.Learner, s.Sweeps, s.MaxOptionSteps = schema.LSPI, 20, n })
	}
	stage := func(change func(*schema.StageProgram)) error {
		p := schema.StageProgram{Name: "own", Version: "1", Params: map[string]string{"share": "1"}}
		change(&p)
		return schema.CheckStage(schema.SelectStage, p)
	}
	name := func(n int) error { return stage(func(p *schema.StageProgram) { p.Name = letters(n) }) }
	version := func(n int) error { return stage(func(p *schema.StageProgram) { p.Version = letters(n) }) }
	params := func(n int) error {
		return stage(func(p *schema.StageProgram) {
			p.Params = map[string]string{}
			for i := range n {
				p.Params[fmt.Sprint("p", i)] = "1"
			}
		})
	}
	param := func(n int) error {
		return stage(func(p *schema.StageProgram) { p.Params = map[string]string{letters(n): "1"} })
	}
	value := func(n int) error { return stage(func(p *schema.StageProgram) { p.Params["share"] = letters(n) }) }
	lastLeft := func(n uint64) error { return spec(func(s *schema.Spec) { s.LeaveOut = []uint64{n} }) }
	gamma := func(x float64) error { return spec(func(s *schema.Spec) { s.Gamma = x }) }
	psiGamma := func(x float64) error {
		return spec(func(s *schema.Spec) { s.Method, s.PsiGamma = schema.Successor, x })
	}
	psiPasses := func(n int64) error {
		return spec(func(s *schema.Spec) { s.Method, s.PsiPasses = schema.Successor, n })
	}
	factors := func(dims, all int) error {
		columns := make([]int32, dims)
		for i := range columns {
			columns[i] = int32(i)
		}
		_, err := schema.Factors{Dims: dims, AllFeatures: all, Columns: columns, Sigma: make([]float64, dims),
			V: make([]float64, dims*dims)}.Encode()
		return err
	}
	vector := func(n int) error {
		_, err := schema.Option{Purpose: schema.Purpose{J: 1, Sign: 1, Vector: make([]float64, n)}, Arity: 2}.Encode()
		return err
	}
	measures := func(n, letters int) (all schema.ExternalMeasures, names []string) {
		all = schema.ExternalMeasures{}
		for i := range n {
			name := fmt.Sprintf("m%0*d", letters-1, i)
			all[name], names = nil, append(names, name)
		}
		return all, names
	}
	measured := func(n, letters int) error {
		all, names := measures(n, letters)
		declared := schema.StageProgram{Name: "own", Version: "1", Measures: names}
		record, err := all.Encode()
		if err == nil {
			_, err = schema.DecodeExternalMeasures(record)
		}
		if declares := schema.CheckStage(schema.MeasureStage, declared); (declares == nil) != (err == nil) {
			t.Errorf("%d measures of %d letters: declared %v, recorded %v", n, letters, declares, err)
		}
		return err
	}
	document := func(n int) error {
		s := paper()
		return s.ReadJSON(strings.NewReader("{}" + strings.Repeat(" ", n-2)))
	}
	schematest.Limits{
		{"observations of a chunk", "shape [0 2097154 1 0]", observe(2*schema.ChunkSteps + 1),
			observe(2*schema.ChunkSteps + 2)},
		{"directions that a rule selects", "top=N (1 ≤ N ≤ 1048576)", selected("top=1048576"),
			selected("top=1048577")},
		{"a lifetime", "N ≤ 1073741824", lifetime("1073741824"), lifetime("1073741825")},
		{"options left out", "up to 1000 numbers", left(1000), left(1001)},
		{"steps of an option", "1 to 1099511627776 steps", steps(1 << 40), steps(1<<40 + 1)},
		{"the name of a stage", "up to 100 letters", name(100), name(101)},
		{"the version of a stage", "1 to 100 printable", version(100), version(101)},
		{"the parameters of a stage", "there can be 64", params(64), params(65)},
		{"the name of a parameter", "up to 100 lower-case", param(100), param(101)},
		{"the value of a parameter", "up to 1000 printable", value(1000), value(1001)},
		{"measures", "more than 64", measured(64, 8), measured(65, 8)},
		{"the name of a measure", "invalid measure name", measured(1, 40), measured(1, 41)},
		{"a spec in JSON", "more than 1 MiB", document(1 << 20), document(1<<20 + 1)},
		{"an option left out", "2147483648", lastLeft(math.MaxInt32), lastLeft(math.MaxInt32 + 1)},
		{"a discount", "up to 0.999999999999", gamma(1 - 1e-12), gamma(math.Nextafter(1-1e-12, 1))},
		{"passes of Ψ", "psi_passes", psiPasses(1 << 16), psiPasses(1<<16 + 1)},
		{"a discount of Ψ", "psi_gamma", psiGamma(1 - 1e-12), psiGamma(math.Nextafter(1-1e-12, 1))},
		{"features of factors", "1048577 features, more than 1048576", factors(1, 1<<20), factors(1, 1<<20+1)},
		{"features of an option", "1048577 features, more than 1048576", vector(1 << 20), vector(1<<20 + 1)},
	}.Check(t)
}

// TestShapeLimits: a record without a payload is truncated if its shape is at a limit, and malformed if it is
// one beyond, since the payload is then not read.
func TestShapeLimits(t *testing.T) {
	const chunk, beyondChunk = "1a00100000", "1a00100001" // 2²⁰, which is also the largest number of features
	const large, larger = "1b0000010000000000", "1b0000010000000001"
	const rows, moreRows = "1b4000000000000000", "1b4000000000000001"
	for _, c := range []struct {
		kind                schema.Kind
		name, at, oneBeyond string
	}{
		{schema.KindObservations, "first", large + " 01 01 00", larger + " 01 01 00"},
		{schema.KindObservations, "observations", "00 1a00200001 01 00", "00 1a00200002 01 00"},
		{schema.KindObservations, "features", "00 01 " + chunk + " 00", "00 01 " + beyondChunk + " 00"},
		{schema.KindObservations, "features", "00 01 01 00", "00 01 00 00"},
		{schema.KindObservations, "kinds", "00 01 01 02", "00 01 01 03"},
		{schema.KindTransitions, "steps", chunk + " 01 00 00", beyondChunk + " 01 00 00"},
		{schema.KindTransitions, "actions", "01 187f 00 00", "01 1880 00 00"},
		{schema.KindTransitions, "an action", "01 01 00 00", "01 00 00 00"},
		{schema.KindTransitions, "spans", "00 01 " + chunk + " 00", "00 01 " + beyondChunk + " 00"},
		{schema.KindTransitions, "episodes", "00 01 00 " + beyondChunk, "00 01 00 1a00100002"},
		{schema.KindRewards, "steps", chunk + " 01", beyondChunk + " 01"},
		{schema.KindRewards, "values", "18ff 1880", "18ff 1881"},
		{schema.KindRows, "distinct rows", large + " 01 00", larger + " 01 00"},
		{schema.KindRows, "features", "01 " + chunk + " 00", "01 " + beyondChunk + " 00"},
		{schema.KindRows, "a feature", "01 01 00", "01 00 00"},
		{schema.KindRows, "rows", "01 01 " + rows, "01 01 " + moreRows},
		{schema.KindFactors, "features", "01 " + chunk + " 00 00", "01 " + beyondChunk + " 00 00"},
		{schema.KindFactors, "columns", "02 18ff 02 02 18ff", "02 18ff 02 02 190100"},
		{schema.KindFactors, "a column", "02 02 02 02 01", "02 02 02 02 00"},
		{schema.KindFactors, "directions", "01 18ff 01 00 18ff 18fe 00", "01 18ff 01 00 18ff 18ff 00"},
		{schema.KindFactors, "rows", "01 01 " + rows + " 00", "01 01 " + moreRows + " 00"},
		{schema.KindSelection, "directions", chunk, beyondChunk},
		{schema.KindTheta, "actions", "187f 01", "1880 01"},
		{schema.KindTheta, "weights", "01 " + beyondChunk, "01 1a00100002"},
		{schema.KindOption, "features", chunk + " 01 01", beyondChunk + " 01 01"},
		{schema.KindOption, "actions", "01 01 187f", "01 01 1880"},
	} {
		decode, dims := decoderOf(t, c.kind), fmt.Sprintf("%x", 0x80+len(strings.Fields(c.at)))
		version := lowestVersion(c.kind)
		switch dims {
		case "85":
			version = "03" // of factors of some of the features
		case "87":
			version = "04" // of some of the directions
		}
		record := func(shape string) []byte {
			return assemble(t, `a3 "kind" "`+string(c.kind)+`" "shape" `+dims+" "+shape+` "version" `+version)
		}
		_, at := decode(record(c.at))
		_, beyond := decode(record(c.oneBeyond))
		if !errors.Is(at, wire.ErrTruncated) || !errors.Is(beyond, wire.ErrMalformed) {
			t.Errorf("%s of %s: at the limit %v, one beyond %v", c.name, c.kind, at, beyond)
		}
	}
}

// TestVersions pins the version numbers. Another format refuses old stores, and other numerics make new run
// IDs.
func TestVersions(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint64
	}{
		{"format", schema.FormatVersion, 12},
		{"numerics", schema.NumericsVersion, 2},
		{"steps of a chunk", schema.ChunkSteps, 1 << 20},
		{"actions", schema.MaxActions, 127},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s version %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// TestUnknownFieldAnywhere: a field that a spec does not have is found at any place of its JSON.
func TestUnknownFieldAnywhere(t *testing.T) {
	fields := []string{`"seed": 3`, `"kappa": 2`, `"gamma": 0.5`, `"sweeps": 7`, `"env": {"name": "ring", "version": 1}`}
	rapid.Check(t, func(t *rapid.T) {
		read := func(fields []string) error {
			s := paper()
			return s.ReadJSON(strings.NewReader("{" + strings.Join(fields, ", ") + "}"))
		}
		if err := read(rapid.Permutation(fields).Draw(t, "fields")); err != nil {
			t.Fatal(err)
		}
		wrong := rapid.SampledFrom([]string{`"sed": 3`, `"seed": 4`, `"Seed": 4`, `"seed": 1.5`, `"env": 3`, `"kappa": "2"`,
			`"gamma": null1`}).Draw(t, "wrong")
		all := rapid.Permutation(append(slices.Clone(fields), wrong)).Draw(t, "all")
		if err := read(all); !errors.Is(err, schema.ErrSpec) {
			t.Fatalf("%s: %v", all, err)
		}
	})
}

// TestInvalidNamesItsField: the error for an invalid value names the field and quotes the value, and its remedy
// lists the choices in order.
func TestInvalidNamesItsField(t *testing.T) {
	for _, c := range []struct {
		change       func(*schema.Spec)
		says, remedy string
	}{
		{func(s *schema.Spec) { s.FeatureScale = "max" }, `feature_scale "max"`, "use none or rms"},
		{func(s *schema.Spec) { s.FeatureScale, s.Method = "rms", "laplacian" }, `feature_scale "rms"`,
			"use none with method laplacian"},
		{func(s *schema.Spec) { s.StateSet = "most" }, `state_set "most"`, "use all or visited"},
		{func(s *schema.Spec) { s.StateSet = "visited" }, `state_set "visited"`, "use all with method pod"},
	} {
		s := paper()
		c.change(&s)
		err := s.Validate()
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(schema.Remedy(err), c.remedy) {
			t.Errorf("%v (%s), want %s (%s)", err, schema.Remedy(err), c.says, c.remedy)
		}
	}
}

// lowestVersion returns the lowest version that records of a kind have, as CBOR.
func lowestVersion(kind schema.Kind) string {
	if kind == schema.KindFactors {
		return "02"
	}
	return "01"
}
