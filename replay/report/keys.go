package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// The kinds of values of keys, beside those of a spec's fields.
const (
	timeKind schema.ValueKind = "time"
	ageKind  schema.ValueKind = "age"
	listKind schema.ValueKind = "list" // several words

	// parameterKind is the kind of the parameters of environments and stages, and of measures that programs declare:
	// whole numbers, texts or other numbers. The declaration in a run's spec says which.
	parameterKind schema.ValueKind = "parameter"
)

// column is a named property of a run: a key of filters, a key to sort by, and a column of lists. Everything that
// shows, reads or checks columns ranges over them.
type column struct {
	schema.MeasureInfo
	holds schema.FieldType
	onRow bool                                      // can be decided from the run's row
	of    func(*Run) string                         // its text, for people
	whole func(*Run) string                         // for programs, nil if it is the same
	load  func(tx *tracker.Tx, r *Run) (any, error) // instead of "of": reads it on demand, as a number or text
	from  *source                                   // source of a measure, nil for others
}

// facts are the columns that are neither fields of the spec nor measures, in the order in which help lists them.
var facts = []column{
	{MeasureInfo: meaning("run", "the run's ID"), holds: digestType, onRow: true,
		of: func(r *Run) string { return r.Short }, whole: func(r *Run) string { return r.ID.String() }},
	{MeasureInfo: meaning("name", "the name that a user gave it"), holds: textType,
		of: func(r *Run) string { return r.Name }},
	{MeasureInfo: meaning("status", "`running`, `interrupted`, `complete` or `failed`"),
		holds: wordsOf(tracker.Running, tracker.Interrupted, tracker.Complete, tracker.Failed),
		of:    func(r *Run) string { return string(r.Status) }},
	{MeasureInfo: meaning("iterations", "the number of recorded iterations"), holds: naturalType,
		of: func(r *Run) string { return strconv.Itoa(r.Iterations) }},
	{MeasureInfo: meaning("target", "the number of iterations requested"), holds: naturalType,
		of: func(r *Run) string { return strconv.Itoa(r.Target) }},
	{MeasureInfo: meaning("reading",
		"the name of its basis and dataset, such as `as-written`; empty where neither is used"),
		holds: readingType, onRow: true,
		of: func(r *Run) string { return r.Reading }},
	{MeasureInfo: meaning("head", "the link of the last iteration"), holds: digestType,
		of: func(r *Run) string { return shorten(r.Head) }, whole: func(r *Run) string { return textOf(r.Head) }},
	{MeasureInfo: meaning("tag", "the tags of the run, with commas between them"),
		holds: schema.FieldType{Kind: listKind}, of: func(r *Run) string { return strings.Join(r.Tags, ",") }},
	{MeasureInfo: meaning("note", "the note of a user or an import"), holds: textType,
		of: func(r *Run) string { return r.Note }},
	{MeasureInfo: meaning("created", "when the run was created, in UTC"), holds: schema.FieldType{Kind: timeKind},
		of:    func(r *Run) string { return r.Created.Format(time.DateTime) },
		whole: func(r *Run) string { return r.Created.Format(time.RFC3339) }},
	{MeasureInfo: meaning("age", "how long ago the run was created"), holds: schema.FieldType{Kind: ageKind},
		of: func(r *Run) string { return formatAge(time.Since(r.Created)) }},
	{MeasureInfo: meaning("failure", "the error that ended it"), holds: textType,
		of: func(r *Run) string { return r.Failure }},
	{MeasureInfo: meaning("parent", "of a fork: the run that it shares iterations with, and its first own iteration"),
		holds: textType, onRow: true,
		of: func(r *Run) string { return r.Parent() }, whole: func(r *Run) string { return r.parent(wholeDigest) }},
	{MeasureInfo: meaning("data", "the digest of the data that iteration 0 imported instead of collecting"),
		holds: digestType, onRow: true,
		of: func(r *Run) string { return shorten(r.data()) }, whole: func(r *Run) string { return textOf(r.data()) }},
	{MeasureInfo: meaning("keep", "the kinds of records that are retained"), holds: keepType,
		of: func(r *Run) string { return FormatKeep(r.Keep) }},
	{MeasureInfo: meaning("proof_level", "how far its records are proved: the lowest of the levels of its stages, "+
		"`recomputed`, `verified` or `claimed`"),
		holds: wordsOf(schema.Recomputed, schema.Verified, schema.Claimed),
		of:    func(r *Run) string { return string(r.ProofLevel) }},
	{MeasureInfo: meaning("sessions", "the number of processes that worked on it"), holds: naturalType,
		load: func(tx *tracker.Tx, r *Run) (any, error) {
			sessions, err := tx.ReadSessions(r.ID)
			return len(sessions), err
		}},
	usageColumn("stored", "the bytes of its records as stored", func(u tracker.Usage) int64 { return u.Stored }),
	usageColumn("exclusive", "of these, the bytes that no other run names",
		func(u tracker.Usage) int64 { return u.Exclusive }),
	placeColumn("study", "the studies that have it", func(m tracker.Membership) string { return m.Study }),
	placeColumn("setting", "its settings in these studies", func(m tracker.Membership) string { return m.Setting.Name }),
	placeColumn("variant", "its variants in these studies", func(m tracker.Membership) string { return m.Variant.Name }),
	{MeasureInfo: meaning("about", "its name, tags, note and environment, with texts such as its map"), holds: textType,
		of: func(r *Run) string {
			words := append(append([]string{r.Name}, r.Tags...), r.Note, r.Env)
			for _, name := range slices.Sorted(maps.Keys(r.Spec.Env.Text)) {
				words = append(words, r.Spec.Env.Text[name])
			}
			return strings.Join(words, " ")
		}},
}

// usageColumn returns a column of the space that a run's records take.
func usageColumn(name, means string, of func(tracker.Usage) int64) column {
	return column{MeasureInfo: meaning(name, means), holds: naturalType,
		load: func(tx *tracker.Tx, r *Run) (any, error) {
			use, err := tx.UsageOf(r.ID)
			return float64(of(use)), err
		}}
}

const wholeDigest = 64 // characters

// meaning describes a column whose title is its name.
func meaning(name, meaning string) schema.MeasureInfo {
	return schema.MeasureInfo{Name: name, Title: name, Meaning: meaning}
}

// columns are the columns of every run apart from the fields of its spec: the facts, then the measures.
var columns = slices.Concat(facts, measuresOf(&measured), measuresOf(&exploration))

func measuresOf(s *source) (measures []column) {
	for _, info := range s.infos {
		measures = append(measures, column{MeasureInfo: info, holds: numberType, from: s})
	}
	return measures
}

// The types of most facts.
var (
	textType      = schema.FieldType{Kind: schema.Text}
	naturalType   = schema.FieldType{Kind: schema.Natural}
	numberType    = schema.FieldType{Kind: schema.Number}
	digestType    = schema.FieldType{Kind: schema.DigestValue}
	parameterType = schema.FieldType{Kind: parameterKind}
	readingType   = schema.FieldType{Kind: schema.Word, Words: schema.AllReadings, Forms: formsOf("BASIS+DATASET"),
		Normal: func(text string) (string, bool) { return text, strings.Contains(text, "+") }} // without a common name
	keepType = schema.FieldType{Kind: schema.Word, Words: func() []string { return append(KeepKinds(), "all", "none") },
		Forms: formsOf("some of these with + between"), Normal: normalKeep}
)

func formsOf(forms ...string) func() []string { return func() []string { return forms } }

// wordsOf returns the type of a fact that is one of some words.
func wordsOf[T ~string](words ...T) schema.FieldType {
	return schema.FieldType{Kind: schema.Word, Words: func() []string {
		return textfmt.Map(words, func(word T) string { return string(word) })
	}}
}

var columnsByName = func() map[string]*column {
	byName := map[string]*column{}
	for i := range columns {
		byName[columns[i].Name] = &columns[i]
	}
	return byName
}()

// names returns the names of the columns that among accepts.
func names(among func(*column) bool) (names []string) {
	for i := range columns {
		if among(&columns[i]) {
			names = append(names, columns[i].Name)
		}
	}
	return names
}

// Columns describes the columns of every run apart from the fields of its spec: facts, then measures.
func Columns() (infos []schema.MeasureInfo) {
	for _, c := range columns {
		infos = append(infos, c.MeasureInfo)
	}
	return infos
}

// RunFields lists the names that [Run.Field] accepts apart from those of the spec.
var RunFields = names(func(c *column) bool { return c.from == nil })

// FilterKeys returns the keys of filters: facts of a run, fields of a spec, parameters of the
// environments, and measures, which are those of a run's last iteration.
func FilterKeys() []string { return append(factKeys(), MeasureNames()...) }

// factKeys returns the keys of filters that need no record to be read.
func factKeys() []string {
	keys := slices.Clone(RunFields)
	for _, b := range envs.RegisteredEnvs() {
		env, err := envs.DefaultEnv(b.Name)
		if err != nil {
			continue
		}
		for _, f := range (schema.Spec{Env: env}).Fields() {
			if !slices.Contains(keys, f.Name) {
				keys = append(keys, f.Name)
			}
		}
	}
	return append(append(keys, schema.EnvVersion), schema.OptionalFields()...)
}

// typeOfKey returns the type of the values of a key, that of a parameter if nothing else has the name.
func typeOfKey(key string) schema.FieldType {
	c := columnsByName[key]
	if t, found := schema.TypeOfField(key); found && (c == nil || c.from != nil) {
		return t
	}
	if c != nil {
		return c.holds
	}
	return parameterType
}

// IsNumber reports whether the values of a key are numbers.
func IsNumber(key string) bool {
	return isNumeric(typeOfKey(key).Kind) || isNumberOfEnv(key)
}

// isOnRow reports whether a term with that key can be decided from a run's row alone.
func isOnRow(key string) bool {
	c := columnsByName[key]
	return c == nil || c.onRow
}

// Field returns the named fact of the run as text, false for an unknown name. A measure, or a column that is read on
// demand, is "" unless it was loaded.
func (r *Run) Field(name string) (string, bool) {
	if c := columnsByName[name]; c != nil && c.from == nil {
		return c.text(r), true
	}
	if value, ok := r.Spec.Get(name); ok || !r.isMeasure(name) {
		return value, ok
	}
	return textfmt.FormatExact(r.Measure(name)), true
}

// text returns the text of a column that is not a measure.
func (c *column) text(r *Run) string {
	if c.of != nil {
		return c.of(r)
	}
	switch value := r.Columns[c.Name].(type) {
	case nil:
		return ""
	case float64:
		return textfmt.FormatExact(&value)
	case []string:
		return strings.Join(value, ", ")
	default:
		return fmt.Sprint(value)
	}
}

// textOf returns a digest in full, and shorten its first digits; "" for nil.
func textOf(d *schema.Digest) string {
	if d == nil {
		return ""
	}
	return d.String()
}

func shorten(d *schema.Digest) string { return textOf(d)[:min(len(textOf(d)), 12)] }

// data returns the digest of the run's imported data, nil for none.
func (r *Run) data() *schema.Digest {
	if r.Spec.Data.IsZero() {
		return nil
	}
	return &r.Spec.Data
}

// The units of ages.
var ageUnits = []struct {
	name string
	of   time.Duration
}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}

// formatAge returns an age as a whole number of the largest unit that fits, in days at most.
func formatAge(age time.Duration) string {
	for _, unit := range ageUnits[1:] {
		if age >= unit.of {
			return fmt.Sprintf("%d%s", age/unit.of, unit.name)
		}
	}
	return "0s"
}
