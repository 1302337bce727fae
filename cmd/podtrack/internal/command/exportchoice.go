package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

func writeCSV(ctx context.Context, s *tracker.Store, runs []report.Run, chosen export.Options, w io.Writer) error {
	return export.CSV(ctx, s, runs, chosen.Only, w)
}

// parseOptions reads the flags that choose what is written.
func (f exportFormat) parseOptions(c *cli.Context) (chosen export.Options, err error) {
	if chosen.Only, err = f.parseOnly(c.String("only")); err != nil {
		return chosen, err
	}
	for _, flag := range []string{"iterations", "mappable"} {
		if c.IsSet(flag) && f.name != "npz" {
			return chosen, schema.Hint(fmt.Errorf("--%s with %s", flag, f.name), "it is for --format npz")
		}
	}
	chosen.Mappable = c.Bool("mappable")
	if c.IsSet("iterations") {
		chosen.Iterations, err = parseIterations(c.String("iterations"))
	}
	return chosen, err
}

// maxIterations bounds a list of iterations, which memory has to hold.
const maxIterations = 1 << 20

// parseIterations reads a list such as 0-2,5, and returns it in ascending order.
func parseIterations(list string) (all []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 31)
		last, err2 := strconv.ParseUint(to, 10, 31)
		if err := errors.Join(err1, err2); err != nil || last < first {
			return nil, schema.Hint(fmt.Errorf("--iterations %q", list), "write iterations as 3, 0-2 or 0-2,5")
		}
		if uint64(len(all))+last-first >= maxIterations {
			return nil, schema.Hint(fmt.Errorf("--iterations %q: too many", list), "list up to %d iterations", maxIterations)
		}
		for k := first; k <= last; k++ {
			all = append(all, int(k))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
