package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// The kinds of values of keys, beside those of a spec's fields.
const (
	timeKind schema.ValueKind = "time"
	ageKind  schema.ValueKind = "age"
	listKind schema.ValueKind = "list" // several words

	// parameterKind is that of the parameters of environments and stages, which are whole numbers, texts where a program
	// declares them, or measures of a program. Only a run tells which.
	parameterKind schema.ValueKind = "parameter"
)

// fact is what is known of a run beside its spec: a key of filters, a key to sort by and a column.
type fact struct {
	name  string
	holds schema.FieldType
	onRow bool // the run's row alone tells
	of    func(*Run) string
}

// facts are all facts, in the order in which help lists them.
var facts = []fact{
	{"run", digestType, true, func(r *Run) string { return r.Short }},
	{"name", textType, false, func(r *Run) string { return r.Name }},
	{"status", wordsOf(tracker.Running, tracker.Interrupted, tracker.Complete, tracker.Failed), false,
		func(r *Run) string { return string(r.Status) }},
	{"iterations", naturalType, false, func(r *Run) string { return strconv.Itoa(r.Iterations) }},
	{"target", naturalType, false, func(r *Run) string { return strconv.Itoa(r.Target) }},
	{"reading", readingType, true, func(r *Run) string { return r.Reading }},
	{"head", digestType, false, func(r *Run) string {
		if r.Head == nil {
			return ""
		}
		return r.Head.String()[:12]
	}},
	{"tag", schema.FieldType{Kind: listKind}, false, func(r *Run) string { return strings.Join(r.Tags, ",") }},
	{"note", textType, false, func(r *Run) string { return r.Note }},
	{"created", schema.FieldType{Kind: timeKind}, false, func(r *Run) string { return r.Created.Format(time.DateTime) }},
	{"age", schema.FieldType{Kind: ageKind}, false, func(r *Run) string { return formatAge(time.Since(r.Created)) }},
	{"failure", textType, false, func(r *Run) string { return r.Failure }},
	{"parent", textType, true, func(r *Run) string { return r.Parent() }},
	{"data", digestType, true, func(r *Run) string {
		if r.Spec.Data.IsZero() {
			return ""
		}
		return r.Spec.Data.String()[:12]
	}},
	{"keep", keepType, false, func(r *Run) string { return FormatKeep(r.Keep) }},
	{"proof_level", wordsOf(schema.Recomputed, schema.Verified, schema.Claimed), false,
		func(r *Run) string { return string(r.ProofLevel) }},
	{"about", textType, false, func(r *Run) string {
		return strings.Join(append(append([]string{r.Name}, r.Tags...), r.Note), " ")
	}},
}

// The types of most facts.
var (
	textType      = schema.FieldType{Kind: schema.Text}
	naturalType   = schema.FieldType{Kind: schema.Natural}
	numberType    = schema.FieldType{Kind: schema.Number}
	digestType    = schema.FieldType{Kind: schema.DigestValue}
	parameterType = schema.FieldType{Kind: parameterKind}
	readingType   = schema.FieldType{Kind: schema.Word, Words: schema.AllReadings,
		Allows: func(text string) bool { return strings.Contains(text, "+") }} // of a basis and a dataset without a name
	keepType = schema.FieldType{Kind: schema.Word, Words: func() []string { return []string{"all", "none"} },
		Allows: isKept}
)

// wordsOf returns the type of a fact that is one of some words.
func wordsOf[T ~string](words ...T) schema.FieldType {
	return schema.FieldType{Kind: schema.Word, Words: func() (texts []string) {
		for _, w := range words {
			texts = append(texts, string(w))
		}
		return texts
	}}
}

// findFact returns the fact of a name, nil if there is none.
func findFact(name string) *fact {
	for i := range facts {
		if facts[i].name == name {
			return &facts[i]
		}
	}
	return nil
}

// RunFields lists the names that [Run.Field] accepts beside those of the spec.
var RunFields = factNames()

func factNames() (names []string) {
	for _, f := range facts {
		names = append(names, f.name)
	}
	return names
}

// FilterKeys returns the keys of filters: facts of a run, fields of a spec, parameters of the
// environments, and measures, which are those of a run's last iteration.
func FilterKeys() []string { return append(factKeys(), MeasureNames()...) }

// factKeys returns the keys for which no record has to be read.
func factKeys() []string {
	keys := slices.Clone(RunFields)
	for _, b := range pod.RegisteredEnvs() {
		env, err := pod.DefaultEnv(b.Name)
		if err != nil {
			continue
		}
		for _, f := range (schema.Spec{Env: env}).Fields() {
			if !slices.Contains(keys, f.Name) {
				keys = append(keys, f.Name)
			}
		}
	}
	return append(keys, schema.OptionalFields()...)
}

// typeOfKey returns the type of the values of a key, that of a parameter if nothing else has the name.
func typeOfKey(key string) schema.FieldType {
	if f := findFact(key); f != nil {
		return f.holds
	}
	if t, found := schema.TypeOfField(key); found {
		return t
	}
	if IsMeasure(key) {
		return numberType
	}
	return parameterType
}

// IsNumber reports whether the values of a key are numbers.
func IsNumber(key string) bool {
	switch typeOfKey(key).Kind {
	case schema.Natural, schema.Integer, schema.Number:
		return true
	}
	return isNumberOfEnv(key)
}

// isOnRow reports whether a run's row alone decides a term with that key.
func isOnRow(key string) bool {
	if f := findFact(key); f != nil {
		return f.onRow
	}
	return !IsMeasure(key)
}

// Field returns the named fact of the run as text, false for an unknown name. A measure is "" unless
// it was loaded.
func (r *Run) Field(name string) (string, bool) {
	if f := findFact(name); f != nil {
		return f.of(r), true
	}
	if value, ok := r.Spec.Get(name); ok || !r.isMeasure(name) {
		return value, ok
	}
	return textform.FormatExact(r.Measure(name)), true
}

// The units of ages.
var ageUnits = []struct {
	name string
	of   time.Duration
}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}

// formatAge returns an age in the largest unit, but weeks, of which there is one, without what is left of it.
func formatAge(age time.Duration) string {
	for _, unit := range ageUnits[1:] {
		if age >= unit.of {
			return fmt.Sprintf("%d%s", age/unit.of, unit.name)
		}
	}
	return "0s"
}
