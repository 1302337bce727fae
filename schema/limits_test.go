package schema_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is accepted, and one more is refused.
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
	evaluation := func(change func(*schema.EvaluationSpec)) error {
		s := schema.DefaultEvaluation(0)
		change(&s)
		return s.Validate()
	}
	episodes := func(n int) error { return evaluation(func(s *schema.EvaluationSpec) { s.Episodes = n }) }
	limit := func(n int64) error { return evaluation(func(s *schema.EvaluationSpec) { s.Limit = n }) }
	seeds := func(n int) error { return evaluation(func(s *schema.EvaluationSpec) { s.Seeds = numbers(n) }) }
	tasks := func(n int) error {
		return evaluation(func(s *schema.EvaluationSpec) {
			for i := range n {
				s.Tasks = append(s.Tasks, schema.TaskStates{Goal: i, Start: schema.AnyStart})
			}
		})
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
	decoded := func(v any) func(data []byte, err error) error {
		return func(data []byte, err error) error {
			if err == nil {
				err = schema.Unmarshal(data, v)
			}
			return err
		}
	}
	list := func(n int) error { return decoded(new([]bool))(schema.Marshal(make([]bool, n))) }
	pairs := func(n int) error {
		m := map[string]bool{}
		for i := range n {
			m[fmt.Sprint(i)] = true
		}
		return decoded(new(map[string]bool))(schema.Marshal(m))
	}
	nested := func(n int) error {
		var v any = []any{}
		for range n - 1 {
			v = []any{v}
		}
		return decoded(new(any))(schema.Marshal(v))
	}
	for _, c := range []struct {
		name       string
		at, beyond error
	}{
		{"observations of a chunk", observe(2*schema.ChunkSteps + 1), observe(2*schema.ChunkSteps + 2)},
		{"directions that a rule selects", selected("top=1048576"), selected("top=1048577")},
		{"a lifetime", lifetime("1073741824"), lifetime("1073741825")},
		{"options left out", left(1000), left(1001)},
		{"steps of an option", steps(1 << 40), steps(1<<40 + 1)},
		{"episodes", episodes(1 << 20), episodes(1<<20 + 1)},
		{"an episode", episodes(1), episodes(0)},
		{"steps of an episode", limit(1 << 31), limit(1<<31 + 1)},
		{"seeds", seeds(1 << 12), seeds(1<<12 + 1)},
		{"a seed", seeds(1), seeds(0)},
		{"tasks", tasks(1 << 14), tasks(1<<14 + 1)},
		{"the name of a stage", name(100), name(101)},
		{"the version of a stage", version(100), version(101)},
		{"the parameters of a stage", params(64), params(65)},
		{"the name of a parameter", param(100), param(101)},
		{"the value of a parameter", value(1000), value(1001)},
		{"measures", measured(64, 8), measured(65, 8)},
		{"the name of a measure", measured(1, 40), measured(1, 41)},
		{"a spec in JSON", document(1 << 20), document(1<<20 + 1)},
		{"elements of CBOR", list(1 << 22), list(1<<22 + 1)},
		{"pairs of CBOR", pairs(1 << 10), pairs(1<<10 + 1)},
		{"nested CBOR", nested(8), nested(9)},
	} {
		if c.at != nil || c.beyond == nil {
			t.Errorf("%s: at the limit %v, one beyond %v", c.name, c.at, c.beyond)
		}
	}
}

// TestShapeLimits: a record without a payload is too short if its shape is at a limit, and malformed if it is one
// beyond, where nothing is read.
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
		{schema.KindFactors, "rows", "01 01 " + rows + " 00", "01 01 " + moreRows + " 00"},
		{schema.KindSelection, "directions", chunk, beyondChunk},
		{schema.KindTheta, "actions", "187f 01", "1880 01"},
		{schema.KindTheta, "weights", "01 " + beyondChunk, "01 1a00100002"},
		{schema.KindOption, "features", chunk + " 01 01", beyondChunk + " 01 01"},
		{schema.KindOption, "actions", "01 01 187f", "01 01 1880"},
	} {
		decode, dims := decoderOf(t, c.kind), fmt.Sprintf("%x", 0x80+len(strings.Fields(c.at)))
		record := func(shape string) []byte {
			return assemble(t, `a3 "kind" "`+string(c.kind)+`" "shape" `+dims+" "+shape+` "version" `+lowestVersion(c.kind))
		}
		_, at := decode(record(c.at))
		_, beyond := decode(record(c.oneBeyond))
		if !errors.Is(at, schema.ErrTruncated) || !errors.Is(beyond, schema.ErrMalformed) {
			t.Errorf("%s of %s: at the limit %v, one beyond %v", c.name, c.kind, at, beyond)
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

// TestAdviceWithoutValues: advice alone is its own words, and values follow after a colon.
func TestAdviceWithoutValues(t *testing.T) {
	err := errors.New("wrong")
	alone, with := schema.Remedy(schema.Advise(err, "mend it")), schema.Remedy(schema.Advise(err, "mend it", 1, "b"))
	if alone != "mend it" || with != "mend it: 1 b" {
		t.Errorf("%q, %q", alone, with)
	}
}

// TestInvalidNamesItsField: the error of a value that a field cannot have is of that field and quotes that value, and
// the remedy names the choices in their order.
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
