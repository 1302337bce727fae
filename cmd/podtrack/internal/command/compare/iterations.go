package compare

import (
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// IterationFlag returns the flag --iteration, with what it is if it is not given.
func IterationFlag(otherwise string) cli.Flag {
	return &cli.StringFlag{Name: "iteration", Usage: "show iteration `K`, last or all", DefaultText: otherwise}
}

// iterations are those that a table shows: one, or all of them.
type iterations struct {
	all bool
	k   int
}

// shows reports whether a table has rows of iteration k.
func (i iterations) shows(k int) bool { return i.all || i.k == k }

// parseIterations parses the value of --iteration. last is the last iteration of the runs, reach how many
// iterations some run has.
func parseIterations(text string, last, reach int) (iterations, error) {
	switch text {
	case "all":
		return iterations{all: true}, nil
	case "last":
		return iterations{k: last}, nil
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 || k >= reach {
		return iterations{}, schema.Hint(fmt.Errorf("--iteration %q", text),
			"give a number from 0 to %d, last, or all", reach-1)
	}
	return iterations{k: k}, nil
}
