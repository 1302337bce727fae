// Package crash tests what processes leave that are killed, interrupted or suspended, and how others go on from there.
package crash

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
