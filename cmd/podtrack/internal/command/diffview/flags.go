package diffview

import (
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// CosineFlag returns the flag --cosine, the threshold for equal eigenpurposes.
func CosineFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "cosine", "purposes are the same from |cos_M| = `X` on", Threshold)
}

// Threshold is the default of thresholds of similarity.
var Threshold = fmt.Sprint(diff.Threshold)

// ByFlag returns the flag --by, which chooses whether the options or the purposes of a group are compared.
func ByFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "by", "with --group: compare `WHAT`: options, and purposes beside them, or purposes alone",
		"options, if the runs have any")
}

// ParseShare returns a threshold between 0 and 1.
func ParseShare(flag, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) {
		return x, schema.Hint(fmt.Errorf("--%s: invalid share %q", flag, text), "give a number above 0, at most 1")
	}
	return x, nil
}

// ParseKind parses the value of --by.
func ParseKind(text string) (diff.Kind, error) {
	kind := diff.Kind(text)
	if kind != diff.Options && kind != diff.Purposes {
		return "", schema.Hint(fmt.Errorf("--by: invalid value %q", text), "write options or purposes")
	}
	return kind, nil
}
