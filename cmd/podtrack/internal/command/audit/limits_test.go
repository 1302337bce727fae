package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/tracker"
)

// TestLimits: a text at the limit is written and read, and one of a byte more is refused.
func TestLimits(t *testing.T) {
	text := make([]byte, maxText+1)
	if at, beyond := checkText(text[:maxText]), checkText(text); at != nil || !errors.Is(beyond, errLongText) {
		t.Errorf("a text: at the limit %v, one beyond %v", at, beyond)
	}
	if err := Write(nil, text, Evidence{}, nil); !errors.Is(err, errLongText) {
		t.Errorf("a text one beyond the limit is written: %v", err)
	}
	const begin = "<p>aaaa"
	document := framed(t, begin+strings.Repeat("b", maxText-len(signature+begin+"\n"))+"\n", []byte("evidence"))
	if d, err := scanned(document); err != nil || len(d.Text) != maxText {
		t.Errorf("a document at the limit: %v", err)
	}
	longer := bytes.Replace(document, []byte("aaaa"), []byte("aaaaa"), 1)
	if _, err := scanned(longer); !errors.Is(err, tracker.ErrDamaged) ||
		!strings.Contains(err.Error(), "no evidence in its first 32 MiB") {
		t.Errorf("a document one beyond the limit: %v", err)
	}

	evidence := func(bytes int64) bool {
		line := fmt.Sprintf(opening, bytes, strings.Repeat("ab", 32))
		_, err := parseOpening(line)
		return err == nil
	}
	if !evidence(1<<40) || evidence(1<<40+1) || !evidence(1) || evidence(0) {
		t.Errorf("evidence of 2^40 bytes %t, one more %t, of a byte %t, of none %t", evidence(1<<40), evidence(1<<40+1),
			evidence(1), evidence(0))
	}
}
