// Command podtrack discovers options with POD and keeps every artefact of it as
// a record that can be proved. Run podtrack help for its commands.
package main

import (
	"os"

	"github.com/podtrack/podtrack/cmd/podtrack/cli"
)

func main() { os.Exit(cli.Main()) }
