package external

import (
	"bytes"
	"strings"
	"sync"
)

// What is kept of a program's stderr, and shown of it: where a traceback of Python
// says what was raised and where.
const (
	tailBytes = 4 << 10
	tailLines = 3
)

// stderrTail keeps the last bytes written to it.
type stderrTail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *stderrTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-tailBytes):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// String returns the last lines joined into one, or "".
func (t *stderrTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var last []string
	for line := range bytes.Lines(bytes.TrimSpace(t.kept)) {
		if text := strings.TrimSpace(strings.ToValidUTF8(string(line), "?")); text != "" {
			last = append(last, truncate(text))
		}
	}
	return strings.Join(last[max(0, len(last)-tailLines):], " / ")
}

// truncate truncates a program's output. Error texts may be longer than other lines.
func truncate(text string) string {
	const most = 300
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
