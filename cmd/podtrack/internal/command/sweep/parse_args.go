package sweep

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// parseGridArgs returns the values from the file, overridden by flags.
func (f *flags) parseGridArgs(c *cli.Context) (s gridArgs, err error) {
	s.values = map[string][]string{}
	if c.NArg() == 1 {
		if s, err = readGridFile(c.Context, c.Args().First()); err != nil {
			return s, err
		}
	}
	grid := map[string]bool{}
	for _, text := range f.grid {
		field, values, ok := strings.Cut(text, "=")
		_, typed := f.typed(field)
		switch {
		case !ok || field == "":
			return s, schema.Hint(fmt.Errorf("--grid %q", text), "write it as FIELD=A,B,…, such as kappa=0.5,1,2")
		case grid[field] || typed:
			return s, schema.Hint(fmt.Errorf("%s is given twice", field), "give all of its values at once")
		}
		grid[field] = true
		s.set(field, splitValues(field, values))
	}
	for _, key := range knownKeys() {
		if values, given := f.typed(key); given {
			s.set(key, values)
		}
	}
	if err = s.check(); err == nil {
		err = s.checkAllowed(c.Args().First(), f.AllowExec, func(key string) bool {
			_, typed := f.typed(key)
			return grid[key] || typed
		})
	}
	return s, err
}
