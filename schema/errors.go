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
	Format string // of the remedy
	Values []any  // the operands of Format
}

func (h *HintedError) Error() string { return h.Err.Error() }
func (h *HintedError) Unwrap() error { return h.Err }

// Hint attaches a remedy, formatted as by [fmt.Sprintf], to err. A remedy that needs a command, a flag or a variable of
// a program says what to do without it: its format is an exported constant, whose name begins with Advice, by which the
// program finds a format of the same values that has the command.
func Hint(err error, format string, args ...any) error {
	return &HintedError{Err: err, Format: format, Values: args}
}

// Advice of this package's errors.
const (
	AdviceImportData   = "import the data"
	AdviceChoose       = "choose another word: %s"
	AdviceStageProgram = "name the program of the stage %s"
	AdviceStageNames   = "use one of podtrack's, which are %s, or a program"
	AdvicePrintSpec    = "print the spec of a run to see its form"
)

// Remedy returns the outermost remedy in err's chain, or "".
func Remedy(err error) string {
	if h, ok := errors.AsType[*HintedError](err); ok {
		return fmt.Sprintf(h.Format, h.Values...)
	}
	return ""
}

// A Choice is a value of a remedy: a word that is unknown, and the words that are known, of which Kind is the
// plural noun. A program can suggest the nearest.
type Choice struct {
	Word, Kind string
	Known      []string
}

func (c Choice) String() string {
	return fmt.Sprintf("the %s are %s", c.Kind, strings.Join(c.Known, ", "))
}
