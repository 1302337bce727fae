package provenance

import (
	"testing"

	"github.com/podtrack/podtrack/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
