package runset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// ErrStudy is the error of an invalid study.
var ErrStudy = errors.New("invalid study")

const maxStudyText = 200

// A Study names the specs of a plan: each is a variant of the algorithm in a setting. Tables and figures have settings
// and variants in this order.
type Study struct {
	Name       string    `cbor:"name" json:"name"`
	Title      string    `cbor:"title,omitempty" json:"title,omitempty"`
	Settings   []Setting `cbor:"settings" json:"settings"`
	Variants   []Variant `cbor:"variants" json:"variants"`
	Baselines  []string  `cbor:"baselines" json:"baselines"`                     // variants that others are compared with
	AllPairs   bool      `cbor:"all_pairs,omitempty" json:"all_pairs,omitempty"` // compares all variants with each other
	Correction string    `cbor:"correction" json:"correction"`                   // one of [Corrections]
	Registered bool      `cbor:"registered,omitempty" json:"registered,omitempty"`
	Cells      []Cell    `cbor:"cells" json:"cells"` // of each spec of the plan
}

// A Setting is where the variants are compared: an environment with its steps, and what decides there.
type Setting struct {
	Name  string `cbor:"name" json:"name"`
	Label string `cbor:"label,omitempty" json:"label,omitempty"`
	Outcome
	Part   string   `cbor:"part,omitempty" json:"part,omitempty"`     // settings of a part are also compared as a whole
	Second *Outcome `cbor:"second,omitempty" json:"second,omitempty"` // compared beside the outcome, nil if nothing is
}

// An Outcome is what decides in a setting.
type Outcome struct {
	Measure string `cbor:"outcome" json:"outcome"`
	Over    string `cbor:"over" json:"over"`                       // which iterations: [OverLast] or [OverMean]
	Lower   bool   `cbor:"lower,omitempty" json:"lower,omitempty"` // a lower outcome is the better one
}

// A Variant is a way to discover options.
type Variant struct {
	Name  string `cbor:"name" json:"name"`
	Label string `cbor:"label,omitempty" json:"label,omitempty"`
}

// A Cell is the place of a spec in a study: the indices of its setting and its variant.
type Cell struct {
	_       struct{} `cbor:",toarray"`
	Setting int      `json:"setting"`
	Variant int      `json:"variant"`
}

// The iterations that an outcome is taken over.
const (
	OverLast = "last" // the last one
	OverMean = "mean" // the mean over all iterations after the first, which has no options
)

// How p-values are adjusted for the number of comparisons of a study.
const (
	Holm         = "holm"
	noCorrection = "none"
)

// Corrections lists how p-values can be adjusted.
func Corrections() []string { return []string{Holm, noCorrection} }

// Text returns what people read in place of the variant's name.
func (v Variant) Text() string { return cmp.Or(v.Label, v.Name) }

// Outcomes returns the outcome of the setting, and the second one if it has one.
func (s Setting) Outcomes() []Outcome {
	if s.Second == nil {
		return []Outcome{s.Outcome}
	}
	return []Outcome{s.Outcome, *s.Second}
}

// Parts returns the parts of the settings, in their order.
func (s *Study) Parts() (parts []string) {
	for _, x := range s.Settings {
		if x.Part != "" && !slices.Contains(parts, x.Part) {
			parts = append(parts, x.Part)
		}
	}
	return parts
}

// Text returns what people read in place of the setting's name.
func (s Setting) Text() string { return cmp.Or(s.Label, s.Name) }

func (s *Study) check(specs int) error {
	if len(s.Settings) == 0 || len(s.Variants) == 0 {
		return fmt.Errorf("%w: it needs a setting and a variant", ErrStudy)
	}
	settings, variants := map[string]bool{}, map[string]bool{}
	for _, x := range s.Settings {
		if err := checkName("setting", x.Name, x.Label, settings); err != nil {
			return err
		}
		if x.Part != "" && !isStudyText(x.Part) {
			return fmt.Errorf("%w: setting %q has the part %.100q: texts have 1 to %d bytes on one line", ErrStudy, x.Name,
				x.Part, maxStudyText)
		}
		for _, o := range x.Outcomes() {
			if !isStudyText(o.Measure) || o.Over != OverLast && o.Over != OverMean {
				return schema.Hint(fmt.Errorf("%w: setting %q has the outcome %q over %q", ErrStudy, x.Name, o.Measure, o.Over),
					"an outcome is a measure, over %s or %s", OverLast, OverMean)
			}
		}
	}
	for _, x := range s.Variants {
		if err := checkName("variant", x.Name, x.Label, variants); err != nil {
			return err
		}
	}
	for i, name := range s.Baselines {
		if !variants[name] || slices.Contains(s.Baselines[:i], name) {
			return schema.Hint(fmt.Errorf("%w: the baseline %q is not one variant", ErrStudy, name), schema.AdviceChoose,
				schema.Choice{Word: name, Kind: "variants", Known: s.VariantNames()})
		}
	}
	if !slices.Contains(Corrections(), s.Correction) {
		return schema.Hint(fmt.Errorf("%w: correction %q", ErrStudy, s.Correction), schema.AdviceChoose,
			schema.Choice{Word: s.Correction, Kind: "corrections", Known: Corrections()})
	}
	if !isStudyText(s.Name) || s.Title != "" && !isStudyText(s.Title) {
		return fmt.Errorf("%w: its name or title is empty, longer than %d bytes, or not text", ErrStudy, maxStudyText)
	}
	return s.checkCells(specs)
}

// checkCells returns an error unless each spec has a cell of its own, and each setting and each variant a spec.
func (s *Study) checkCells(specs int) error {
	had := map[Cell]bool{}
	settings, variants := map[int]bool{}, map[int]bool{}
	for _, c := range s.Cells {
		if c.Setting < 0 || c.Setting >= len(s.Settings) || c.Variant < 0 || c.Variant >= len(s.Variants) || had[c] {
			return fmt.Errorf("%w: cell %d/%d", ErrStudy, c.Setting, c.Variant)
		}
		had[c], settings[c.Setting], variants[c.Variant] = true, true, true
	}
	if len(s.Cells) != specs || len(settings) != len(s.Settings) || len(variants) != len(s.Variants) {
		return fmt.Errorf("%w: %d specs in %d cells of %d settings and %d variants", ErrStudy, specs, len(s.Cells),
			len(settings), len(variants))
	}
	return nil
}

// checkName returns an error for a name that is no text or is taken, or for a label that is no text.
func checkName(kind, name, label string, taken map[string]bool) error {
	switch {
	case !isStudyText(name) || label != "" && !isStudyText(label):
		return fmt.Errorf("%w: a %s is named %.100q and labelled %.100q: texts have 1 to %d bytes on one line", ErrStudy,
			kind, name, label, maxStudyText)
	case taken[name]:
		return schema.Hint(fmt.Errorf("%w: two %ss are named %q", ErrStudy, kind, name), "give each a name of its own")
	}
	taken[name] = true
	return nil
}

// isStudyText reports whether a text is on one line, and neither empty nor too long.
func isStudyText(text string) bool {
	return text != "" && len(text) <= maxStudyText && utf8.ValidString(text) &&
		!slices.ContainsFunc([]rune(text), unicode.IsControl)
}

// VariantNames returns the names of the variants, in their order.
func (s *Study) VariantNames() []string {
	return textfmt.Map(s.Variants, func(v Variant) string { return v.Name })
}

// SettingNames returns the names of the settings, in their order.
func (s *Study) SettingNames() []string {
	return textfmt.Map(s.Settings, func(x Setting) string { return x.Name })
}
