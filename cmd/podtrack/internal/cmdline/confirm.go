package cmdline

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/schema"
)

// YesFlag returns the flag --yes, with which a command does not ask before it changes many runs.
func YesFlag(yes *bool) cli.Flag {
	return Flag(yes, "yes", "do not ask: change all runs that are found")
}

// Confirm asks on a terminal whether to do what would change many runs. It returns an error if the answer is no, or
// if nobody can be asked; look says which command shows what would be changed.
func Confirm(c *cli.Context, would, look string) error {
	in, isFile := c.App.Reader.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return schema.Hint(fmt.Errorf("this would %s", would), "look at %s, then add --yes", look)
	}
	fmt.Fprintf(c.App.ErrWriter, "This will %s (%s shows which). Go on? [y/N] ", would, look)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case a := <-answer:
		if a == "y" || a == "yes" {
			return nil
		}
		return schema.Hint(fmt.Errorf("nothing was changed"), "answer y to go on, or give --yes")
	case <-c.Done():
		return context.Cause(c.Context)
	}
}
