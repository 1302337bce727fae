package schema

import (
	"cmp"
	"fmt"
	"strings"
)

// Symbol returns the symbol of what the criterion compares with κ, σ by default.
func (c Criterion) Symbol() string { return cmp.Or(c.entry().symbol, "σ") }

// LimitSymbol returns the symbol of the σ at which that is κ, κ by default.
func (c Criterion) LimitSymbol() string { return cmp.Or(c.entry().limitSymbol, "κ") }

// ComparesOptions reports whether the criterion depends on the options of earlier iterations.
func (c Criterion) ComparesOptions() bool { return c.entry().comparesOptions }

// KeepsSmall reports whether the criterion keeps the directions whose σ is small, among them those of
// σ = 0.
func (c Criterion) KeepsSmall() bool { return c.entry().keepsSmall }

// entry returns what is registered of c, the zero value if nothing is.
func (c Criterion) entry() SelectionEntry {
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
		return Rule{}, Advise(err, AdviceStageNames, SelectionForms())
	case given != (e.parse != nil), given && !e.parse(&r, value):
		return Rule{}, Advise(fmt.Errorf("%w: select %q", ErrSpec, s), AdviceStageNames, SelectionForms())
	}
	return r, nil
}

// SelectionForms returns how built-in selects are written.
func SelectionForms() string {
	var forms []string
	for _, name := range Selections.BuiltinNames() {
		e, _, _ := Selections.Newest(name)
		forms = append(forms, e.Usage)
	}
	return strings.Join(forms, ", ")
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

// HasRecord reports whether a selection with this rule is recorded. The first version's
// rule is not: the factors and κ determine its selection.
func (s Select) HasRecord() bool { return s != Threshold }
