package main

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/tracker"
)

const defaultStore = "podtrack.db"

func storeFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Usage: "the `FILE` that holds the runs", DefaultText: "$PODTRACK_STORE, else " + defaultStore}
}

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

// openStore is the store that a command works on.
func openStore(c *cli.Context) *tracker.Store {
	return tracker.New(storePath(c), tracker.Options{})
}

func storePath(c *cli.Context) string {
	return cmp.Or(c.String("store"), os.Getenv("PODTRACK_STORE"), defaultStore)
}

// lastCommit is how long a command that was told to stop may still take to save
// what it has.
const lastCommit = 30 * time.Second

// closing is a context for saving after the command's own has ended.
func closing() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), lastCommit)
}
