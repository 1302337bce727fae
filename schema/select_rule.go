package schema

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Select is the rule that decides which eigenpurposes become options, as text. [Select.ParseRule] parses it.
type Select string

// Threshold is the paper's selection, σ > κ.
const Threshold = Select(BySigma)

// Every is the selection of all directions.
const Every = Select(ByAll)

// A Criterion is what decides whether a direction becomes options, one of [Selections].
type Criterion string

// The criteria. [Selections] has what each means for a spec and its records; package pod/selection computes it.
const (
	BySigma   Criterion = "threshold"        // σ > κ
	BySquare  Criterion = "threshold:sigma2" // σ² > κ
	ByRMS     Criterion = "threshold:rms"    // σ/√n > κ: the root mean square of the n rows of D along it
	ByRank    Criterion = "top"              // the N largest σ
	ByEnergy  Criterion = "energy"           // the fewest whose Σσ² is a given share of the total
	BySample  Criterion = "sample"           // N of those with σ > κ, drawn at random
	ByNovelty Criterion = "novel"            // σ > κ, and similar to nothing in the action set
	Below     Criterion = "below"            // σ ≤ κ, including 0: what threshold leaves out
	ByAll     Criterion = "all"              // every direction, including those of σ = 0
	ByNothing Criterion = "none"             // no direction: the agent has its primitive actions alone
)

// A Rule is a parsed [Select].
type Rule struct {
	By    Criterion
	N     int     // number of directions, for ByRank and BySample
	Limit float64 // share of ByEnergy, or largest |cos_M| of ByNovelty
}

// MaxSelected is the largest N of a rule.
const MaxSelected = maxDims

// A selectionEntry describes what a criterion means for a spec and its records.
type selectionEntry struct {
	Usage           string // how it is written, for help, "" for external
	usesKappa       bool
	comparesOptions bool   // the decision depends on the options of earlier iterations
	keepsSmall      bool   // directions up to κ are kept, those of σ = 0 too
	symbol          string // of what is compared with κ, "" for σ
	limitSymbol     string // of the σ at which the compared number is κ, "" for κ itself

	parse  func(r *Rule, text string) bool // reads its value, nil if it takes none
	format func(r Rule) string
}

// Selections are the criteria that specs can name, in the order in which help lists them.
var Selections = NewRegistry("selection",
	Named(BySigma, selectionEntry{Usage: "threshold (σ > κ)", usesKappa: true}),
	Named(BySquare, selectionEntry{
		Usage: "threshold:sigma2", usesKappa: true, symbol: "σ²", limitSymbol: "√κ",
	}),
	Named(ByRMS, selectionEntry{
		Usage: "threshold:rms (σ/√n)", usesKappa: true, symbol: "σ/√n", limitSymbol: "κ√n",
	}),
	Named(ByRank, selectionEntry{Usage: usageOfCount("top"), parse: parseCount, format: formatCount}),
	Named(ByEnergy, selectionEntry{
		Usage: "energy=P (0 < P ≤ 1)", format: formatLimit,
		parse: func(r *Rule, text string) bool { return parseLimit(r, text) && r.Limit > 0 && r.Limit <= 1 },
	}),
	Named(BySample, selectionEntry{
		Usage: usageOfCount("sample"), usesKappa: true, parse: parseCount, format: formatCount,
	}),
	Named(ByNovelty, selectionEntry{
		Usage: "novel=C (0 ≤ C < 1)", usesKappa: true, comparesOptions: true, format: formatLimit,
		parse: func(r *Rule, text string) bool { return parseLimit(r, text) && r.Limit >= 0 && r.Limit < 1 },
	}),
	Named(Below, selectionEntry{
		Usage: "below (σ ≤ κ, what threshold leaves out)", usesKappa: true, keepsSmall: true,
	}),
	Named(ByAll, selectionEntry{Usage: "all (σ = 0 too)", keepsSmall: true}),
	Named(ByNothing, selectionEntry{Usage: "none (primitive actions alone)"}),
	Named(ByProgram, selectionEntry{usesKappa: true, comparesOptions: true}))

func usageOfCount(criterion string) string {
	return fmt.Sprintf("%s=N (1 ≤ N ≤ %d)", criterion, MaxSelected)
}

func parseCount(r *Rule, text string) bool {
	n, err := strconv.ParseInt(textfmt.PlainInteger(text), 10, 64)
	r.N = int(n)
	return err == nil && n >= 1 && n <= MaxSelected
}

func formatCount(r Rule) string { return strconv.Itoa(r.N) }

func parseLimit(r *Rule, text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	r.Limit = x + 0 // −0 + 0 = 0
	return err == nil
}

func formatLimit(r Rule) string { return formatFloat(r.Limit) }

// Symbol returns the symbol of what the criterion compares with κ, σ by default.
func (c Criterion) Symbol() string { return cmp.Or(c.entry().symbol, "σ") }

// LimitSymbol returns the symbol of the σ at which the number compared with κ equals κ; by default that is κ.
func (c Criterion) LimitSymbol() string { return cmp.Or(c.entry().limitSymbol, "κ") }

// ComparesOptions reports whether the criterion depends on the options of earlier iterations.
func (c Criterion) ComparesOptions() bool { return c.entry().comparesOptions }

// KeepsSmall reports whether the criterion keeps the directions whose σ is small, among them those of σ = 0.
func (c Criterion) KeepsSmall() bool { return c.entry().keepsSmall }

// entry returns the registered entry of c, or the zero value.
func (c Criterion) entry() selectionEntry {
	e, _, _ := Selections.Newest(string(c))
	return e
}

// ParseRule parses the select. It also accepts forms other than the canonical one.
func (s Select) ParseRule() (Rule, error) {
	name, value, given := strings.Cut(string(s), "=")
	if name == "threshold:sigma" {
		name = string(BySigma)
	}
	r := Rule{By: Criterion(name)}
	e, err := Selections.Find(name)
	switch {
	case err != nil:
		return Rule{}, Hint(err, AdviceStageNames, selectionForms())
	case given != (e.parse != nil), given && !e.parse(&r, value):
		return Rule{}, Hint(fmt.Errorf("%w: select %q", ErrSpec, s), AdviceStageNames, selectionForms())
	}
	return r, nil
}

// selectionForms returns the forms of the built-in selections, for help and hints.
func selectionForms() string {
	var forms []string
	for _, e := range Selections.builtin() {
		forms = append(forms, e.Usage)
	}
	return strings.Join(forms, ", ")
}

// selectionWords returns the built-in selections that take no value.
func selectionWords() (words []string) {
	for name, e := range Selections.builtin() {
		if e.parse == nil {
			words = append(words, name)
		}
	}
	return words
}

// valuedSelections returns the forms of the built-in selections that take a value, as in top=N.
func valuedSelections() (forms []string) {
	for _, e := range Selections.builtin() {
		if e.parse != nil {
			form, _, _ := strings.Cut(e.Usage, " ")
			forms = append(forms, form)
		}
	}
	return forms
}

// Canonical returns the rule as a select, in its canonical form.
func (r Rule) Canonical() Select {
	if e := r.By.entry(); e.format != nil {
		return Select(string(r.By) + "=" + e.format(r))
	}
	return Select(r.By)
}

// UsesKappa reports whether the rule depends on κ.
func (r Rule) UsesKappa() bool { return r.By.entry().usesKappa }
