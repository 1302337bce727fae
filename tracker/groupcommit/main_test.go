package groupcommit

import (
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

func TestMain(m *testing.M) { schematest.Main(m) }
