package external

import (
	"bytes"
	"strings"
	"sync"
)

// What is kept of a program's stderr: enough for the end of a traceback.
const (
	tailBytes = 4 << 10
	tailLines = 12
)

// tail keeps the last bytes that were written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-tailBytes):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// String is the last lines, indented, or "".
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.kept), []byte("\n"))
	lines = lines[max(0, len(lines)-tailLines):]
	var b strings.Builder
	for _, line := range lines {
		if text := strings.TrimRight(strings.ToValidUTF8(string(line), "?"), " \r"); text != "" {
			b.WriteString("\n    " + text)
		}
	}
	return b.String()
}
