package cmdline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/schema"
)

// Confirm asks on a terminal whether to do what cannot be undone. It returns an error if the answer is no, or if nobody
// can be asked.
func Confirm(c *cli.Context, would string) error {
	in, isFile := c.App.Reader.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return schema.Hint(fmt.Errorf("this would %s", would), "add --yes to do it")
	}
	fmt.Fprintf(c.App.ErrWriter, "This will %s. Go on? [y/N] ", would)
	answer, err := readAnswer(c.Context, in)
	switch {
	case err != nil:
		fmt.Fprintln(c.App.ErrWriter)
		return err
	case answer != "y" && answer != "yes":
		return schema.Hint(errors.New("nothing was changed"), "answer y to go on, or give --yes")
	}
	return nil
}

// readAnswer returns a line that somebody types, in lower case. The error is the error of ctx.
func readAnswer(ctx context.Context, in io.Reader) (string, error) {
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an empty answer if nobody types
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
