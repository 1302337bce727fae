package cmdline

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// DefaultStore is the store's path if neither --store nor PODTRACK_STORE is given.
const DefaultStore = "podtrack.db"

// StoreFlag returns the flag --store.
func StoreFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Usage: "the `FILE` that holds the runs",
		DefaultText: "$PODTRACK_STORE, else " + DefaultStore}
}

// JsonFlag returns the flag --json.
func JsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

// QuietFlag returns the flag --quiet, with which a command prints the IDs of runs alone. It goes with no other form.
func QuietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the IDs of the runs, and nothing else",
		Action: func(c *cli.Context, given bool) error {
			if other := FirstSet(c, "json", "format", "columns"); given && other != "" {
				return schema.Hint(fmt.Errorf("--quiet together with --%s", other), "give one of them")
			}
			return nil
		}}
}

// WantsJSON reports whether --json is given.
func WantsJSON(c *cli.Context) bool { return c.Bool("json") }

// OpenStore returns the store that a command works on.
func OpenStore(c *cli.Context) *tracker.Store { return StoreAt(c, StorePath(c)) }

// StoreAt returns the store at a path.
func StoreAt(c *cli.Context, path string) *tracker.Store { return StoreWithin(c, path, 0) }

// StoreWithin returns the store at a path, for which a transaction waits so long unless the user says otherwise. What
// it says about a place, or of a compaction or repair that a writer waits for, is printed once in this process.
func StoreWithin(c *cli.Context, path string, usual time.Duration) *tracker.Store {
	wait, _ := WaitTime() // execute has already checked it
	return tracker.New(path, tracker.Options{Wait: cmp.Or(wait, usual),
		Warn: func(text string) {
			printOnce(c.App, "warning: %s\n  keep the store on a local disk, and bring stores together with podtrack "+
				"merge", text)
		},
		OnCopied: func(path string) {
			printOnce(c.App, "%s is being compacted or repaired: waiting until that is done", path)
		}})
}

// waitVariable is the environment variable that [WaitTime] reads.
const waitVariable = "PODTRACK_WAIT"

// WaitTime returns how long to wait for a store that others use, 0 for the default.
func WaitTime() (time.Duration, error) {
	text := os.Getenv(waitVariable)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, schema.Hint(fmt.Errorf("%s=%q", waitVariable, text),
			"write how long to wait for a store that others use as 30s, 5m or 1h")
	}
	return d, nil
}

// WarnedKey is the key of the app's metadata under which given warnings are kept.
const WarnedKey = "warned"

// printOnce prints a text with what it is about, unless this process has printed it before.
func printOnce(app *cli.App, format, about string) {
	printed, ok := app.Metadata[WarnedKey].(*sync.Map)
	if !ok {
		return
	}
	text := fmt.Sprintf(format, textfmt.EscapeLine(about))
	if _, had := printed.LoadOrStore(text, true); !had {
		fmt.Fprintln(app.ErrWriter, text)
	}
}

// StorePath returns the path of the store: --store, else PODTRACK_STORE, else
// [DefaultStore].
func StorePath(c *cli.Context) string {
	return cmp.Or(c.String("store"), os.Getenv("PODTRACK_STORE"), DefaultStore)
}

// lastCommit is how long a stopped command may still take to save its work.
const lastCommit = 30 * time.Second

// ShutdownContext returns a context for saving work: it ends some time after the command's own context,
// and never before it.
func ShutdownContext(command context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(command))
	stop := context.AfterFunc(command, func() {
		select {
		case <-time.After(lastCommit):
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() { stop(); cancel() }
}
