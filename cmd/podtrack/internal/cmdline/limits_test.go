package cmdline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is printed or read whole, and of one more it is said that there is more.
func TestLimits(t *testing.T) {
	lines := func(n int) string {
		var out bytes.Buffer
		PrintSome(&out, 8, make([]string, n))
		return out.String()
	}
	const more = "… and 1 more, which --json lists\n"
	if at, beyond := lines(8), lines(9); at != strings.Repeat("\n", 8) || beyond != at+more {
		t.Errorf("lines are printed as %q and %q", at, beyond)
	}
	long := strings.Repeat("a", 1025)
	if at, beyond := shorten(long[:1024], 1024), shorten(long, 1024); at != long[:1024] ||
		!strings.Contains(beyond, " … 1 bytes … ") {
		t.Errorf("texts are printed as %q and %q", at, beyond)
	}
	for at, beyond := range map[int]int{2: 3, 0: -1} {
		runs := []report.Run{{Name: "a", Iterations: 3}}
		if err := CheckIteration(&at, runs); err != nil {
			t.Errorf("iteration %d of 3: %v", at, err)
		}
		err := CheckIteration(&beyond, runs)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("no iteration ", beyond)) ||
			!strings.Contains(schema.Remedy(err), "iterations 0 to 2") {
			t.Errorf("iteration %d of 3: %v", beyond, err)
		}
	}
}

// TestWaitLimit: the shortest time is one, and none is refused.
func TestWaitLimit(t *testing.T) {
	for text, allowed := range map[string]bool{"1ns": true, "0s": false, "-1s": false} {
		t.Setenv(waitVariable, text)
		if d, err := WaitTime(); (err == nil) != allowed || allowed && d != 1 {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}

// TestReadTextLimit: a character at the limit is whole, or the file is refused; one behind it may be cut.
func TestReadTextLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	for text, valid := range map[string]bool{"aa\xc3": false, "aaa\xc3": true} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadText(t.Context(), path, 3); (err == nil) != valid || valid && len(got) != 4 {
			t.Errorf("%q of at most 3 bytes: %q, %v", text, got, err)
		}
	}
}

func TestJoinedErrorsOnOneLine(t *testing.T) {
	open, closed := errors.New("too many open files"), errors.New("file already closed")
	for want, err := range map[string]error{
		"compact: too many open files; file already closed": fmt.Errorf("compact: %w", errors.Join(open, closed, open)),
		`name "a\nb"; too many open files`:                  errors.Join(fmt.Errorf("name %q", "a\nb"), open),
		"a: too many open files; b: file already closed":    fmt.Errorf("a: %w; b: %w", open, errors.Join(closed)),
		"two\nlines: file already closed":                   fmt.Errorf("two\nlines: %w", closed),
	} {
		if got := onOneLine(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var stderr strings.Builder
	Fail(&stderr, errors.Join(open, closed))
	if want := "podtrack: too many open files; file already closed\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

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
