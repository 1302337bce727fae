package cmdline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
)

// flagError is an error about the value of a flag.
type flagError struct {
	flag, value string
	err         error
}

// FlagError returns err as one about the value of a flag, which it names; nil for nil.
func FlagError(flag, value string, err error) error {
	if err == nil {
		return nil
	}
	return &flagError{flag, value, err}
}

func (f *flagError) Error() string {
	text := f.err.Error()
	if errors.Is(f.err, schema.ErrSpec) {
		text = strings.TrimPrefix(text, schema.ErrSpec.Error()+": ") // a flag's value is meant, and no file
	}
	return fmt.Sprintf("--%s %s: %s", f.flag, textform.ShellQuote(f.value), text)
}

func (f *flagError) Unwrap() error { return f.err }
