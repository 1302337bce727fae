package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// Advice of this package's errors.
const (
	AdviceAskIteration   = "ask about run %s, or for the options of run %s in iteration %d"
	AdviceAskOption      = "ask about run %s, or why option %s is there"
	AdviceChangeTerm     = "change a term: %s"
	AdviceListFilter     = "list what the filter %s finds"
	AdviceListRejected   = "list the options of run %s, and why the others were rejected"
	AdviceNameIteration  = "name an iteration, %s:K, of those of run %s"
	AdviceNameOption     = "name an option, %s:#N or %s:K/J+, of those of run %s"
	AdviceNoOptions      = "see what run %s has in place of options"
	AdviceOptionRange    = "list the options of run %s with their numbers"
	AdvicePattern        = "use the names of runs; ? stands for any character"
	AdviceRefForms       = "write RUN:K for an iteration, RUN:#N or RUN:K/J+ for an option"
	AdviceMakeRun        = "make a run"
	AdviceSelectRuns     = "select runs that are in the store"
	AdviceSimilar        = "there is %s"
	AdviceWriteIteration = "iteration %d is %s; ask why option %s is there"
	AdviceWriteOption    = "option %d is %s, of those of run %s"
)

// ErrRef is the error of an invalid reference.
var ErrRef = errors.New("invalid reference")

// WholeRefs returns a function that replaces the short ID in a reference to one of the runs by the whole ID. Files
// outlive the store in which short IDs are unique, and spreadsheets take some for numbers.
func WholeRefs(runs ...schema.Digest) func(ref string) string {
	ids := textfmt.Map(runs, schema.Digest.String)
	slices.Sort(ids)
	return func(ref string) string {
		run, _, _ := strings.Cut(ref, ":")
		i, _ := slices.BinarySearch(ids, run)
		if len(run) < tracker.MinShortID || i == len(ids) || !strings.HasPrefix(ids[i], run) {
			return ref
		}
		return ids[i] + ref[len(run):]
	}
}

// Ref is a parsed reference to a run, an iteration, or an option.
type Ref struct {
	Run      string // beginning of an ID, name or @N
	WholeRun bool   // it names a run without an iteration
	K        int    // iteration, 0 for a run
	J        int    // direction, 0 for a run or an iteration
	Sign     int    // +1 or −1 of an option, else 0

	// ByNumber is true for RUN:#N, an option whose iteration and direction are unknown until the run is read. K is
	// then 0.
	ByNumber bool
	Number   int // of the option if ByNumber, else 0
}

// A RefKind is what a reference names.
type RefKind string

// The kinds of references.
const (
	RefRun       RefKind = "a run"
	RefIteration RefKind = "an iteration"
	RefOption    RefKind = "an option"
)

// Kind returns what the reference names.
func (r Ref) Kind() RefKind {
	switch {
	case r.IsOption():
		return RefOption
	case r.WholeRun:
		return RefRun
	}
	return RefIteration
}

// Iteration returns the iteration that the reference names, nil for a run.
func (r Ref) Iteration() *int {
	if r.WholeRun {
		return nil
	}
	return &r.K
}

// IsOption reports whether the reference names an option.
func (r Ref) IsOption() bool { return r.J > 0 || r.ByNumber }

// ParseRef parses RUN, RUN:K, RUN:K/J+, RUN:K/J- or RUN:#N.
func ParseRef(text string) (Ref, error) {
	run, rest, found := strings.Cut(text, ":")
	if !found {
		return Ref{Run: text, WholeRun: true}, nil
	}
	r := Ref{Run: run}
	if run == "" {
		return r, newRefError("%q names no run", text)
	}
	if digits, found := strings.CutPrefix(rest, "#"); found {
		return r.parseNumber(digits, text)
	}
	digits, option, found := strings.Cut(rest, "/")
	k, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || k >= tracker.MaxIterations {
		return r, newRefError("iteration %q in %q", digits, text)
	}
	r.K = int(k)
	if found {
		r.J, r.Sign, err = parseOption(option, text)
	}
	return r, err
}

// ParseRefOf parses a reference of one of the given kinds. The error of any other kind says what to write instead.
func ParseRefOf(text string, kinds ...RefKind) (Ref, error) {
	if IsTerm(text) {
		return Ref{}, newTermError(text, kinds)
	}
	r, err := ParseRef(text)
	if err != nil || slices.Contains(kinds, r.Kind()) {
		return r, err
	}
	err = fmt.Errorf("%w: %s is %s, and %s is expected", ErrRef, text, r.Kind(), textfmt.Alternatives(kinds))
	return r, r.adviseKind(err, text, kinds)
}

// newTermError returns the error of a filter's term where a reference is expected.
func newTermError(text string, kinds []RefKind) error {
	key, operator, value := splitTerm(text)
	if slices.Contains(FilterKeys(), key) {
		return schema.Hint(fmt.Errorf("%w: %s is a filter, and %s is expected", ErrRef, text, textfmt.Alternatives(kinds)),
			AdviceListFilter, text)
	}
	if near := textfmt.Suggest(key, FilterKeys()); near != "" {
		return schema.Hint(fmt.Errorf("%w: %q", ErrRef, text), AdviceSimilar, near+operator+value)
	}
	return newRefError("%q", text)
}

// adviseKind attaches advice on what to write to the error of a reference of an unexpected kind.
func (r Ref) adviseKind(err error, text string, kinds []RefKind) error {
	wants := func(kind RefKind) bool { return slices.Contains(kinds, kind) }
	switch kind := r.Kind(); {
	case kind == RefRun && wants(RefOption):
		return schema.Hint(err, AdviceNameOption, r.Run, r.Run, r.Run)
	case kind == RefRun:
		return schema.Hint(err, AdviceNameIteration, r.Run, r.Run)
	case kind == RefIteration && wants(RefOption):
		return schema.Hint(err, AdviceWriteOption, r.K, fmt.Sprintf("%s:#%d", r.Run, r.K), r.Run)
	case kind == RefIteration:
		return schema.Hint(err, AdviceAskIteration, r.Run, r.Run, r.K)
	case wants(RefIteration) && r.ByNumber:
		return schema.Hint(err, AdviceWriteIteration, r.Number, fmt.Sprintf("%s:%d", r.Run, r.Number), text)
	case wants(RefIteration):
		return schema.Hint(err, AdviceWriteIteration, r.K, fmt.Sprintf("%s:%d", r.Run, r.K), text)
	}
	return schema.Hint(err, AdviceAskOption, r.Run, text)
}

// newRefError returns the error of a text that is not a reference.
func newRefError(format string, values ...any) error {
	return schema.Hint(fmt.Errorf("%w: %s", ErrRef, fmt.Sprintf(format, values...)), AdviceRefForms)
}

// parseNumber returns the reference to this run's option with that number.
func (r Ref) parseNumber(digits, text string) (Ref, error) {
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return r, newRefError("option number %q in %q", digits, text)
	}
	r.ByNumber, r.Number = true, int(n)
	return r, nil
}

func parseOption(option, text string) (j, sign int, err error) {
	digits := option
	for end, value := range map[string]int{"+": 1, "-": -1, "−": -1} {
		if before, found := strings.CutSuffix(option, end); found {
			digits, sign = before, value
		}
	}
	number, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || number < 1 || sign == 0 {
		return 0, 0, newRefError("option %q in %q", option, text)
	}
	return int(number), sign, nil
}

// OptionName returns J+ or J-.
func OptionName(j, sign int) string {
	if sign < 0 {
		return fmt.Sprintf("%d-", j)
	}
	return fmt.Sprintf("%d+", j)
}

// OptionRef returns the reference of an option of the run with that label.
func OptionRef(run string, k, j, sign int) string {
	return fmt.Sprintf("%s:%d/%s", run, k, OptionName(j, sign))
}

// Errors of naming an option that the run does not have, by its number or by its direction.
var (
	ErrNoOptionNumber = errors.New("no option")
	ErrNoOption       = errors.New("has no option")
)

// FindOption returns the iteration that made the run's option with that number, and the option's index in it.
func FindOption(r *recorded.Records, number int) (k, at int, err error) {
	before := 0
	for k, it := range r.Iterations {
		n := len(it.RecordsOf(schema.KindOption))
		if number < before+n {
			return k, number - before, nil
		}
		before += n
	}
	switch before {
	case 0:
		return 0, 0, schema.Hint(fmt.Errorf("%w %d: run %s has no options", ErrNoOptionNumber, number, r.Label()),
			AdviceNoOptions, r.Label())
	case 1:
		err = fmt.Errorf("%w %d: run %s has one, option 0", ErrNoOptionNumber, number, r.Label())
	default:
		err = fmt.Errorf("%w %d: run %s has %d, options 0 to %d", ErrNoOptionNumber, number, r.Label(), before, before-1)
	}
	return 0, 0, schema.Hint(err, AdviceOptionRange, r.Label())
}

// FindPurpose returns the index of the purpose that a reference names among those that its iteration selected.
func FindPurpose(r *recorded.Records, ref Ref) (at int, err error) {
	if err := r.CheckIteration(ref.K); err != nil {
		return 0, err
	}
	_, purposes, err := r.Selection(ref.K)
	for i, p := range purposes {
		if p.J == ref.J && p.Sign == ref.Sign {
			return i, nil
		}
	}
	return 0, cmp.Or(err, NoOptionError(r, ref))
}

// NoOptionError returns the error of a reference to an option that its iteration does not have.
func NoOptionError(r *recorded.Records, ref Ref) error {
	return schema.Hint(fmt.Errorf("iteration %d of run %s %w %s", ref.K, r.Label(), ErrNoOption,
		OptionName(ref.J, ref.Sign)), AdviceListRejected, r.Label())
}

// OptionNumber returns the number of the option that a reference names by its iteration and direction.
func OptionNumber(r *recorded.Records, ref Ref) (int, error) {
	at, err := FindPurpose(r, ref)
	if err != nil {
		return 0, err
	}
	if len(r.Iterations[ref.K].RecordsOf(schema.KindOption)) == 0 {
		return 0, NoOptionError(r, ref)
	}
	return r.FirstNumber(ref.K) + at, nil
}

// ResolveRef returns a reference to this run that names an option by its iteration and direction,
// given one that may name it by its number.
func ResolveRef(r *recorded.Records, ref Ref) (Ref, error) {
	if !ref.ByNumber {
		return ref, nil
	}
	k, at, err := FindOption(r, ref.Number)
	if err != nil {
		return ref, err
	}
	_, purposes, err := r.Selection(k)
	if err != nil {
		return ref, err
	}
	if at >= len(purposes) {
		return ref, r.WrapError(k, fmt.Errorf("%w: more options than purposes", wire.ErrMalformed))
	}
	return Ref{Run: ref.Run, K: k, J: purposes[at].J, Sign: purposes[at].Sign}, nil
}
