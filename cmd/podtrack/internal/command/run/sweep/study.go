package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// studyArgs is the study that a file describes: its names, and the fields of each setting and variant.
type studyArgs struct {
	runset.Study
	common             gridPoint // fields of all specs
	settings, variants []gridPoint
	exceptions         []map[string]gridPoint // of each variant: its fields in a setting, by the setting's name
}

// The keys of a study's file beside those of a sweep.
var (
	studyKeys   = []string{"study", "title", "baseline", "compare", "correction", "registered", "setting", "variant"}
	settingKeys = slices.Concat([]string{"name", "label", "part", "second"}, outcomeKeys)
	outcomeKeys = []string{"outcome", "over", "better"}
	variantKeys = []string{"name", "label", "in"}
)

// What the variants of a study are compared with.
const (
	withBaselines = "baseline"
	withAll       = "all"
)

// usualOutcome is the outcome of a setting that names none: every environment has it.
const usualOutcome = "covered"

// readStudy takes the keys of a study from the file's table, and leaves those of a sweep. The study is named after the
// file if it has no name.
func readStudy(table map[string]any, path string) (*studyArgs, error) {
	s := &studyArgs{}
	file := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	head := tableReader{table: table, within: "the study"}
	s.Name, s.Title = head.text("study", file), head.text("title", "")
	s.Correction = head.word("correction", runset.Holm, runset.Corrections()...)
	s.AllPairs = head.word("compare", withBaselines, withBaselines, withAll) == withAll
	s.Baselines, s.Registered = head.texts("baseline"), value[bool](&head, "registered",
		"neither true nor false", "write registered = true")
	for _, t := range tables(&head, "setting") {
		r := tableReader{table: t, within: "a setting"}
		x := runset.Setting{Name: r.text("name", ""), Label: r.text("label", ""), Part: r.text("part", "")}
		r.within = fmt.Sprintf("setting %q", x.Name)
		x.Outcome, x.Second = r.outcome(), r.second()
		s.Settings, s.settings = append(s.Settings, x), append(s.settings, r.fields(settingKeys))
		head.fail(r.err)
	}
	for _, t := range tables(&head, "variant") {
		r := tableReader{table: t, within: "a variant"}
		x := runset.Variant{Name: r.text("name", ""), Label: r.text("label", "")}
		r.within = fmt.Sprintf("variant %q", x.Name)
		s.Variants, s.variants = append(s.Variants, x), append(s.variants, r.fields(variantKeys))
		s.exceptions = append(s.exceptions, r.exceptions())
		head.fail(r.err)
	}
	for _, key := range studyKeys {
		delete(table, key)
	}
	if head.err == nil && len(s.Variants) == 0 {
		head.err = schema.Hint(fmt.Errorf("a study without a variant"), "add [[variant]] tables, each with a name")
	}
	if head.err == nil {
		head.err = s.complete()
	}
	if head.err == nil && table["env"] == nil {
		head.err = s.requireEnv()
	}
	return s, head.err
}

// complete gives a study without settings one, and one without baselines its first variant as baseline. It returns an
// error for a name that no study can have, and for exceptions in unknown settings.
func (s *studyArgs) complete() error {
	if len(s.Settings) == 0 {
		s.Settings = []runset.Setting{{Name: "all", Outcome: runset.Outcome{Measure: usualOutcome, Over: runset.OverLast}}}
		s.settings = []gridPoint{nil}
	}
	if len(s.Baselines) == 0 {
		s.Baselines = []string{s.Variants[0].Name}
	}
	if err := tracker.ValidateTag(s.Name); err != nil {
		return schema.Hint(fmt.Errorf("the name of the study: %w", err), `name it without blanks: study = "rooms"`)
	}
	for i, in := range s.exceptions {
		for name := range in {
			if !slices.Contains(s.SettingNames(), name) {
				return schema.Hint(fmt.Errorf("variant %q: no setting %q", s.Variants[i].Name, name), schema.AdviceChoose,
					schema.Choice{Word: name, Kind: "settings", Known: s.SettingNames()})
			}
		}
	}
	return nil
}

// requireEnv returns an error for a setting without an environment beside others that have one: it would be the
// paper's ring under another name.
func (s *studyArgs) requireEnv() error {
	names := func(p gridPoint) bool {
		return slices.ContainsFunc(p, func(f schema.Field) bool { return f.Name == "env" })
	}
	if !slices.ContainsFunc(s.settings, names) {
		return nil
	}
	for i, p := range s.settings {
		if !names(p) {
			return schema.Hint(fmt.Errorf("setting %q has no env, and others have one", s.Settings[i].Name),
				`add its environment, such as env = "grid:four-rooms", or env = "ring"`)
		}
	}
	return nil
}

// point returns the fields of a cell: of the study, of its setting, of its variant, and of the variant in the setting.
// Later ones take precedence.
func (s *studyArgs) point(cell runset.Cell) gridPoint {
	fields := map[string]string{}
	for _, p := range []gridPoint{s.common, s.settings[cell.Setting], s.variants[cell.Variant],
		s.exceptions[cell.Variant][s.Settings[cell.Setting].Name]} {
		for _, f := range p {
			if f.Name == "reading" {
				delete(fields, "basis")
				delete(fields, "dataset")
			}
			fields[f.Name] = f.Value
		}
	}
	var point gridPoint
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		point = append(point, schema.Field{Name: name, Value: fields[name]})
	}
	return point
}

// makeStudy makes the specs of a study, and returns its names.
func (g gridArgs) makeStudy(s *sweepRun) (*runset.Study, error) {
	named := g.study.Study
	place := func(c runset.Cell) string {
		return fmt.Sprintf("variant %q in setting %q", named.Variants[c.Variant].Name, named.Settings[c.Setting].Name)
	}
	for n := range len(named.Settings) * len(named.Variants) {
		cell := runset.Cell{Setting: n / len(named.Variants), Variant: n % len(named.Variants)}
		before, twice, err := s.add(n, g.study.point(cell).lookup(nil))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", place(cell), err)
		case twice:
			return nil, schema.Hint(fmt.Errorf("%s has the spec of %s", place(cell), place(named.Cells[before])),
				"what has another name has other runs: change a field, or leave one out")
		}
		setting, own := named.Settings[cell.Setting], s.plan.Specs[n].ExternalMeasureNames()
		for _, o := range setting.Outcomes() {
			if !slices.Contains(own, o.Measure) && !report.IsMeasure(o.Measure) {
				return nil, schema.Hint(fmt.Errorf("setting %q: unknown outcome %q", setting.Name, o.Measure), schema.AdviceChoose,
					schema.Choice{Word: o.Measure, Kind: "measures", Known: append(report.MeasureNames(), own...)})
			}
		}
		named.Cells = append(named.Cells, cell)
	}
	return &named, nil
}

// A tableReader reads a table of a TOML file and keeps the first error.
type tableReader struct {
	table  map[string]any
	within string // what the table describes, for errors
	err    error
}

func (t *tableReader) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// value returns the value of a key, the zero value if the table lacks it. A value of another type is an error that says
// what it is not, with a remedy.
func value[T any](t *tableReader, key, what, remedy string) T {
	v, ok := t.table[key].(T)
	if t.table[key] != nil && !ok {
		err := fmt.Errorf("%s: %s is %s", t.within, key, what)
		if remedy != "" {
			err = schema.Hint(err, "%s", remedy)
		}
		t.fail(err)
	}
	return v
}

// text returns the text of a key, or usual if the table lacks it.
func (t *tableReader) text(key, usual string) string {
	if t.table[key] == nil {
		return usual
	}
	return value[string](t, key, "not a text", "")
}

// word returns the word of a key, which must be one of words.
func (t *tableReader) word(key, usual string, words ...string) string {
	word := t.text(key, usual)
	if !slices.Contains(words, word) {
		t.fail(schema.Hint(fmt.Errorf("%s: %s = %q", t.within, key, word), "%s is %s", key, strings.Join(words, " or ")))
	}
	return word
}

// outcome returns the outcome that a table describes.
func (t *tableReader) outcome() runset.Outcome {
	o := runset.Outcome{
		Measure: report.MeasureName(t.text("outcome", usualOutcome)),
		Over:    t.word("over", runset.OverLast, runset.OverLast, runset.OverMean),
	}
	usual := "higher"
	if explore.IsCensored(o.Measure) { // a time until something is reached
		usual = "lower"
	}
	o.Lower = t.word("better", usual, "higher", "lower") == "lower"
	return o
}

// second returns the outcome of the table's table named second, nil if it has none.
func (t *tableReader) second() *runset.Outcome {
	table := t.table["second"]
	if table == nil {
		return nil
	}
	fields, isTable := table.(map[string]any)
	if !isTable || fields["outcome"] == nil {
		t.fail(schema.Hint(fmt.Errorf("%s: second is not a table with an outcome", t.within),
			`write second = { outcome = "distance", over = "mean" }`))
		return nil
	}
	r := tableReader{table: fields, within: t.within + ", second"}
	for key := range fields {
		if !slices.Contains(outcomeKeys, key) {
			r.fail(schema.Hint(fmt.Errorf("%s: unknown key %q", r.within, key), "it has %s", strings.Join(outcomeKeys, ", ")))
		}
	}
	o := r.outcome()
	t.fail(r.err)
	return &o
}

// texts returns a text or a list of texts.
func (t *tableReader) texts(key string) []string {
	if t.table[key] == nil {
		return nil
	}
	texts, err := textsOf(t.table[key])
	if err != nil {
		t.fail(fmt.Errorf("%s: %s: %w", t.within, key, err))
	}
	return texts
}

// tables returns an array of tables.
func tables(t *tableReader, key string) []map[string]any {
	return value[[]map[string]any](t, key, "not an array of tables", fmt.Sprintf("begin each with [[%s]]", key))
}

// fields returns the fields of a spec that a table sets: all keys but the named ones.
func (t *tableReader) fields(but []string) (point gridPoint) {
	for _, key := range slices.Sorted(maps.Keys(t.table)) {
		if slices.Contains(but, key) {
			continue
		}
		if !slices.Contains(specKeys(), key) || key == "seed" {
			t.fail(schema.Hint(fmt.Errorf("%s: unknown field %q", t.within, key), "%s", remedyForKey(key, but)))
			continue
		}
		texts, err := textsOf(t.table[key])
		if err == nil && len(texts) != 1 {
			err = schema.Hint(fmt.Errorf("%d values", len(texts)), "give one, and make a variant for each")
		}
		if err != nil {
			t.fail(fmt.Errorf("%s: %s: %w", t.within, key, err))
			continue
		}
		point = append(point, schema.Field{Name: key, Value: texts[0]})
	}
	return point
}

// remedyForKey returns the remedy for a key that a table cannot have: where it belongs, or which key may be meant.
func remedyForKey(key string, but []string) string {
	switch {
	case key == "seed":
		return `the seeds of a study are a key at the top, such as seeds = "0-9"`
	case slices.Contains(studyKeys, key), slices.Contains(sweepKeys, key):
		return key + " is a key at the top of the file"
	case slices.Contains(settingKeys, key):
		return key + " is a key of a [[setting]]"
	}
	return textfmt.DidYouMean(key, "fields", append(specKeys(), but...))
}

// exceptions returns the fields that a variant has in single settings only, from its table named in.
func (t *tableReader) exceptions() map[string]gridPoint {
	const remedy = `write in."four rooms" = { kappa = 2 }`
	all := tableReader{table: value[map[string]any](t, "in", "not a table", remedy), within: t.within + ": in"}
	points := map[string]gridPoint{}
	for _, name := range slices.Sorted(maps.Keys(all.table)) {
		fields := value[map[string]any](&all, name, "not a table", remedy)
		in := tableReader{table: fields, within: fmt.Sprintf("%s in %q", t.within, name)}
		points[name] = in.fields(nil)
		t.fail(cmp.Or(all.err, in.err))
	}
	return points
}
