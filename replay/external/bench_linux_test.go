package external

import (
	"testing"
	"time"

	"github.com/podtrack/podtrack/internal/testenv"
)

// BenchmarkProcess starts and ends a program that starts nothing, as each iteration
// does: most of it is the look for what it may have left, over all processes there are.
func BenchmarkProcess(b *testing.B) {
	testenv.NeedsPrograms(b, "sh")
	c := Command{Words: []string{"sh", "-c", "read more"}, Timeout: time.Minute}
	for b.Loop() {
		p, err := c.start(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.close(); err != nil {
			b.Fatal(err)
		}
	}
}
