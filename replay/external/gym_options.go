package external

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// ErrGym is the error of a text gym:NAME that cannot be parsed.
var ErrGym = errors.New("cannot read the environment")

const hintGym = "write gym:NAME, followed by options after commas, as in gym:CartPole-v1,bins=8,range=walk"

// splitOptions splits the text after gym: at its commas, into a name and options. A comma within
// brackets or quotes, as in desc=["SF","FG"], belongs to an option's value.
func splitOptions(text string) (parts []string, err error) {
	ends, err := optionEnds(text)
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("%w %q: %w", ErrGym, "gym:"+text, err), "%s; %s", hintGym,
			"values with brackets or quotes are those of Python")
	}
	begin := 0
	for i, end := range ends {
		part := text[begin:end]
		if part == "" && i > 0 {
			return nil, schema.Hint(fmt.Errorf("%w %q: nothing stands behind a comma", ErrGym, "gym:"+text), "%s", hintGym)
		}
		if key, _, _ := strings.Cut(part, "="); key == "" || i == 0 && key != part {
			return nil, schema.Hint(fmt.Errorf("%w %q", ErrGym, "gym:"+text), "%s", hintGym)
		}
		parts, begin = append(parts, part), end+1
	}
	return parts, nil
}

// optionEnds returns the places of commas that separate options, and the end of the text.
func optionEnds(text string) (ends []int, err error) {
	var open []byte // closing characters that are awaited
	for i := 0; i < len(text); i++ {
		c, awaited := text[i], byte(0)
		if len(open) > 0 {
			awaited = open[len(open)-1]
		}
		quoted := awaited == '"' || awaited == '\''
		switch pair := strings.IndexByte("([{", c); {
		case c == awaited:
			open = open[:len(open)-1]
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '"' || c == '\'':
			open = append(open, c)
		case pair >= 0:
			open = append(open, ")]}"[pair])
		case strings.IndexByte(")]}", c) >= 0:
			return nil, fmt.Errorf("%q closes nothing", c)
		case c == ',' && len(open) == 0:
			ends = append(ends, i)
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("%q is missing at the end", open[len(open)-1])
	}
	return append(ends, len(text)), nil
}
