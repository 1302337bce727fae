package replay_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(servedVariable); ok {
		if err := serveText(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if path, ok := os.LookupEnv(workerVariable); ok {
		if err := workOn(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	schematest.Main(m)
}
