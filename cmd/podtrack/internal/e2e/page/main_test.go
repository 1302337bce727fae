// Package page tests the page, in a browser.
package page

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
