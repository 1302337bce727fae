// Command podtrack discovers options with POD and keeps every artefact of it as
// a record that can be proved. Run podtrack help for its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(execute(ctx, os.Args, os.Stdout, os.Stderr))
}
