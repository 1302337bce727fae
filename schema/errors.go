package schema

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSpec marks an invalid spec.
var ErrSpec = errors.New("invalid spec")

// HintedError is an error that a user can fix: what failed, and the remedy.
type HintedError struct {
	Err    error
	Hint   string // the remedy in words
	Advice Advice // "" if Hint says all
	Values []any  // names and numbers that the advice needs
}

func (h *HintedError) Error() string { return h.Err.Error() }
func (h *HintedError) Unwrap() error { return h.Err }

// Hint attaches a remedy, formatted as by [fmt.Sprintf], to err.
func Hint(err error, format string, args ...any) error {
	return &HintedError{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// Advice identifies a remedy that needs a command, a flag or a variable of a program. Packages export their
// advice as constants, whose texts say what to do without naming a command; the program says how with its own.
type Advice string

// Advice of this package's errors.
const (
	AdviceImportData   Advice = "import the data"
	AdviceChoose       Advice = "choose another word"
	AdviceStageProgram Advice = "name the program of the stage"
	AdviceStageNames   Advice = "use one of podtrack's, or a program"
	AdvicePrintSpec    Advice = "print the spec of a run to see its form"
)

// Advise attaches advice to err, with the values that its words need.
func Advise(err error, advice Advice, values ...any) error {
	hint := string(advice)
	if len(values) > 0 {
		hint += ": " + strings.TrimSuffix(fmt.Sprintln(values...), "\n")
	}
	return &HintedError{Err: err, Hint: hint, Advice: advice, Values: values}
}

// Remedy returns the outermost hint or advice in err's chain, or "".
func Remedy(err error) string {
	var h *HintedError
	if errors.As(err, &h) {
		return h.Hint
	}
	return ""
}

// A Choice is a value of an advice: a word that is unknown, and the words that are known, of which Kind is the
// plural noun. A program can suggest the nearest.
type Choice struct {
	Word, Kind string
	Known      []string
}

func (c Choice) String() string {
	return fmt.Sprintf("the %s are %s", c.Kind, strings.Join(c.Known, ", "))
}
