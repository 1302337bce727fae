package cmdline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestShutdownContext: saving takes as long as it takes, and is given a last while once the command
// is told to stop.
func TestShutdownContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command, stop := context.WithCancel(context.Background())
		ctx, cancel := ShutdownContext(command)
		defer cancel()
		time.Sleep(10 * lastCommit)
		if ctx.Err() != nil {
			t.Fatal("it ended before the command was told to stop")
		}
		stop()
		time.Sleep(lastCommit - time.Second)
		if ctx.Err() != nil {
			t.Fatal("nothing was left for a last commit")
		}
		time.Sleep(2 * time.Second)
		if ctx.Err() == nil {
			t.Error("it goes on after the last commit's time")
		}
	})
}
