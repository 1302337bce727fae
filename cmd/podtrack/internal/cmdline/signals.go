package cmdline

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/podtrack/podtrack/replay"
)

// stopping names the signals that ask the program to save its work and to stop.
var stopping = map[os.Signal]string{os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// UntilSignal returns a context that ends at the first signal of those, which is its
// cause. A second one ends the program at once, but for SIGHUP: a terminal that goes
// away and its shell send one each. A SIGHUP that was ignored from the start, as nohup
// has it, stays so.
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
