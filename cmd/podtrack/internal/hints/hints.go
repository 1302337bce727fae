// Package hints says how to mend an error, with the commands, flags and variables of podtrack. The packages that return
// the errors attach a remedy by [schema.Hint]; only this one knows which command follows it.
package hints

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Of returns how to mend err, or "" if nothing is known.
func Of(err error) string {
	var h *schema.HintedError
	if !errors.As(err, &h) {
		return ""
	}
	format, known := table[h.Format]
	if !known {
		return schema.Remedy(err)
	}
	values := make([]any, len(h.Values))
	for i, v := range h.Values {
		switch v := v.(type) {
		case string:
			values[i] = word(v)
		case schema.Choice:
			values[i] = textfmt.DidYouMean(v.Word, v.Kind, v.Known)
		default:
			values[i] = v
		}
	}
	return fmt.Sprintf(format, values...)
}

// word is a text in a remedy. The verb %q quotes it as a word of a command, %+q as a path in one.
type word string

// Format implements [fmt.Formatter].
func (w word) Format(f fmt.State, verb rune) {
	switch text := string(w); {
	case verb != 'q':
		fmt.Fprintf(f, fmt.FormatString(f, verb), text)
	case f.Flag('+'):
		fmt.Fprint(f, textfmt.ShellPath(text))
	default:
		fmt.Fprint(f, textfmt.ShellQuote(text))
	}
}

// ProvesText returns what a head with these levels proves, on one line, "" without levels: the stages of each level,
// and the flags with which replay recomputes those that need a program.
func ProvesText(levels []stages.Level) string {
	var parts []string
	for _, level := range schema.Levels() {
		for _, needsProgram := range []bool{false, true} {
			of := slices.DeleteFunc(slices.Clone(levels), func(l stages.Level) bool {
				return l.Level != level || needsProgram != (l.Needs != "")
			})
			if len(of) == 0 {
				continue
			}
			var names, needs []string
			for _, l := range of {
				names, needs = append(names, l.Stage), append(needs, l.Needs)
			}
			text := strings.Join(names, ", ") + " " + string(level)
			switch {
			case needsProgram:
				text += fmt.Sprintf(" (%s with %s)", of[0].With, ProgramFlags(needs))
			case level != schema.Recomputed:
				text += " (the data were recorded elsewhere)"
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// ProgramFlags returns the flags that give replay programs, each once.
func ProgramFlags(needs []string) string {
	var flags []string
	for _, program := range append([]string{stages.EnvProgram}, schema.ExternalStages()...) {
		if slices.Contains(needs, program) {
			flags = append(flags, fmt.Sprintf("--%s exec:CMD", program))
		}
	}
	return strings.Join(flags, " ")
}

// flagged are the fields of a spec that have flags of their own, beside the reading. The flag --set gives the others.
var flagged = []string{"reading", "env", "bits", "hide", "seed", "steps", "kappa", "gamma", "sweeps", "basis",
	"dataset", "select", "learner", "method", "collect", "measure"}

// HasFlag reports whether a field of a spec has a flag of its own.
func HasFlag(field string) bool { return slices.Contains(flagged, field) }

// FieldWords returns the words that give a field of a spec in a command.
func FieldWords(field, value string) []string {
	if HasFlag(field) {
		return []string{"--" + field, value}
	}
	return []string{"--set", field + "=" + value}
}
