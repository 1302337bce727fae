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
	"github.com/podtrack/podtrack/tracker"
)

const DefaultStore = "podtrack.db"

func StoreFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Usage: "the `FILE` that holds the runs", DefaultText: "$PODTRACK_STORE, else " + DefaultStore}
}

func JsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

// OpenStore is the store that a command works on.
func OpenStore(c *cli.Context) *tracker.Store { return StoreAt(c, StorePath(c)) }

// StoreAt is a store by its path.
func StoreAt(c *cli.Context, path string) *tracker.Store {
	wait, _ := WaitTime() // which execute has looked at
	return tracker.New(path, tracker.Options{Wait: wait, Warn: func(text string) { WarnOnce(c.App, text) }})
}

const waitVariable = "PODTRACK_WAIT"

// WaitTime is how long to wait for a store that others use, 0 where nothing is
// said.
func WaitTime() (time.Duration, error) {
	text := os.Getenv(waitVariable)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, schema.Hint(fmt.Errorf("%s=%q", waitVariable, text), "write how long to wait for a store that others use as 30s, 5m or 1h")
	}
	return d, nil
}

// WarnedKey is where the program notes what it has warned of.
const WarnedKey = "warned"

// WarnOnce writes a warning unless the command has done so.
func WarnOnce(app *cli.App, text string) {
	warned, ok := app.Metadata[WarnedKey].(*sync.Map)
	if !ok {
		return
	}
	if _, had := warned.LoadOrStore(text, true); !had {
		fmt.Fprintf(app.ErrWriter, "warning: %s\n  keep the store on a local disk, and bring stores together with podtrack merge\n", schema.EscapeLine(text))
	}
}

func StorePath(c *cli.Context) string {
	return cmp.Or(c.String("store"), os.Getenv("PODTRACK_STORE"), DefaultStore)
}

// lastCommit is how long a command that was told to stop may still take to save
// what it has.
const lastCommit = 30 * time.Second

// ShutdownContext is a context for saving after the command's own has ended.
func ShutdownContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), lastCommit)
}
