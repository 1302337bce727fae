package external

import (
	"bytes"
	"regexp"
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

// lastLines returns the last lines joined into one, or "". It leaves out the marks under a line of a traceback, and
// the last line if it is within what was said.
func (t *stderrTail) lastLines(said string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var last []string
	for line := range bytes.Lines(bytes.TrimSpace(t.kept)) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(line), "?"))
		if strings.Trim(text, "^~ ") != "" {
			last = append(last, truncate(withoutScript(text)))
		}
	}
	n := tailLines
	if end := len(last) - 1; end > 0 && strings.Contains(said, last[end]) {
		last, n = last[:end], n-1
	}
	return strings.Join(last[max(0, len(last)-n):], " / ")
}

// encoded is a long text in base64, such as the adapter's, which a program that is no Python prints.
var encoded = regexp.MustCompile(`[A-Za-z0-9+/=]{80,}`)

func withoutScript(line string) string { return encoded.ReplaceAllString(line, "…") }

// truncate truncates a program's output. Error texts may be longer than other lines.
func truncate(text string) string {
	const most = 300
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
