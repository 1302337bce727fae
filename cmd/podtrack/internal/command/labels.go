package command

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/urfave/cli/v2"
)

// noteFewer names the runs that have more iterations than --iterations asks for, or are to have more: it lowers no
// number.
func noteFewer(c *cli.Context, target int, more []string) {
	if len(more) > 0 {
		cmdline.PrintNotes(c.App.ErrWriter, []string{fmt.Sprintf(
			"--iterations %d changes nothing where more are recorded or asked for already: %s", target, someLabels(more))})
	}
}

// someLabels lists at most 10 labels of runs.
func someLabels(labels []string) string {
	const most = 10
	text := strings.Join(labels[:min(len(labels), most)], ", ")
	if more := len(labels) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
