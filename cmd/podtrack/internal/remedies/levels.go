package remedies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// ProvesText returns what a head with these levels proves, on one line, "" without levels: the stages of each level,
// and the flags with which replay recomputes those that need a program.
func ProvesText(levels []replay.StageLevel) string {
	var parts []string
	for _, level := range schema.Levels() {
		for _, needsProgram := range []bool{false, true} {
			of := slices.DeleteFunc(slices.Clone(levels), func(l replay.StageLevel) bool {
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
	for _, program := range append([]string{replay.EnvProgram}, schema.ExternalStages()...) {
		if slices.Contains(needs, program) {
			flags = append(flags, fmt.Sprintf("--%s exec:CMD", program))
		}
	}
	return strings.Join(flags, " ")
}
