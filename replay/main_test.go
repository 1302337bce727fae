package replay_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/podtrack/podtrack/internal/testenv"
)

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(servedVariable); ok {
		if err := serveText(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	testenv.Main(m)
}
