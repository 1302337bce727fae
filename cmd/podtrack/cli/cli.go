// Package cli is the command line of podtrack, for a program that has environments of its own:
//
//	func main() {
//		if err := pod.RegisterEnv(corridor); err != nil {
//			log.Fatal(err)
//		}
//		os.Exit(cli.Main())
//	}
//
// is podtrack with one environment more, in all of its commands and on its page. Its parameters are
// flags of the commands that make specs.
package cli

import (
	"os"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
)

// Main executes the command line of the process and returns its exit code, as podtrack help
// exit-codes lists them.
func Main() int { return command.Main(os.Stdout) }
