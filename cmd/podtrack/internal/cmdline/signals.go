package cmdline

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/podtrack/podtrack/replay"
)

// stopping maps the signals that ask the program to save its work and stop to their
// names.
var stopping = map[os.Signal]string{os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// UntilSignal returns a context that ends at the first such signal, with the signal as
// its cause. A second one ends the program at once, except SIGHUP, which both a closed
// terminal and its shell send. SIGHUP stays ignored if it was ignored from the start,
// as with nohup.
func UntilSignal() context.Context {
	ctx, stop := context.WithCancelCause(context.Background())
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	go func() {
		first := <-caught
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		stop(replay.SignalError{Name: stopping[first]})
	}()
	return ctx
}
