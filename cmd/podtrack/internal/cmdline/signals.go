package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
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
	if os.Getenv(lifelineVariable) == "stdin" {
		_ = os.Unsetenv(lifelineVariable) // programs that it starts have an input of their own
		go followParent(func() { stop(replay.SignalError{Name: stopping[syscall.SIGHUP]}) })
	}
	return ctx
}

// lifelineVariable says, as stdin, that standard input is a pipe that the process which called this one holds.
const lifelineVariable = "PODTRACK_LIFELINE"

// followParent stops the program when standard input ends, which is when its caller does, however that ends. It has
// two seconds to save its work.
func followParent(stop func()) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop()
	time.Sleep(2 * time.Second)
	os.Exit(ExitInterrupted)
}

// Interruptible returns an action that ends as [Interrupted] says if it is interrupted.
func Interruptible(action cli.ActionFunc, left, remedy string) cli.ActionFunc {
	return func(c *cli.Context) error { return Interrupted(action(c), left, remedy) }
}

// Interrupted returns err unless it comes from a canceled context. Then it returns an interruption that says what is
// left of the work and how to go on, unless err already says so.
func Interrupted(err error, left, remedy string) error {
	told := errors.Is(err, replay.ErrInterrupted) && schema.Remedy(err) != ""
	if errors.Is(err, context.Canceled) && !told {
		return schema.Hint(fmt.Errorf("%w; %s", replay.ErrInterrupted, left), "%s", remedy)
	}
	return err
}

// StoppedExport returns err; for an interruption, an error that says that no file was written.
func StoppedExport(err error) error {
	return Interrupted(err, "no file was written", "rerun the command to start again")
}

// StoppedMerge returns err; for an interruption, an error that says that the runs merged so far stay.
func StoppedMerge(err error) error {
	return Interrupted(err, "what was merged stays", "rerun the command to merge the rest")
}
