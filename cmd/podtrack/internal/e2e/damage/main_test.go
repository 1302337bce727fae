// Package damage tests stores and bundles that were damaged or forged.
package damage

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
