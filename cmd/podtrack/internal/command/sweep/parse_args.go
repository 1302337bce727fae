package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// parseGridArgs returns the values from the file, overridden by flags.
func parseGridArgs(c *cli.Context) (s gridArgs, err error) {
	s.values = map[string][]string{}
	if c.NArg() == 1 {
		if s, err = readGridFile(c.Context, c.Args().First()); err != nil {
			return s, err
		}
	}
	grid := map[string]bool{}
	for _, text := range c.StringSlice("grid") {
		field, values, ok := strings.Cut(text, "=")
		switch {
		case !ok || field == "":
			return s, schema.Hint(fmt.Errorf("--grid %q", text), "write it as FIELD=A,B,…, such as kappa=0.5,1,2")
		case grid[field] || slices.Contains(c.FlagNames(), field):
			return s, schema.Hint(fmt.Errorf("%s is given twice", field), "give all of its values at once")
		}
		grid[field] = true
		s.set(field, splitValues(field, values))
	}
	for _, name := range flagNames(c) {
		switch {
		case name == "tag":
			s.set(name, c.StringSlice(name))
		case slices.Contains(sweepKeys, name):
			s.set(name, []string{c.String(name)})
		default:
			s.set(name, splitValues(name, c.String(name)))
		}
	}
	if err = s.check(); err == nil {
		err = s.checkAllowed(c, func(key string) bool { return grid[key] || c.IsSet(key) })
	}
	return s, err
}
