// Command podtrack discovers options with POD and keeps every artefact of it as
// a record that can be proved. Run podtrack help for its commands.
package main

import (
	"os"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
)

func main() { os.Exit(command.Main()) }
