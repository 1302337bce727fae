package cmdline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestJoinedErrorsOnOneLine(t *testing.T) {
	open, closed := errors.New("too many open files"), errors.New("file already closed")
	for want, err := range map[string]error{
		"compact: too many open files; file already closed": fmt.Errorf("compact: %w", errors.Join(open, closed, open)),
		`name "a\nb"; too many open files`:                  errors.Join(fmt.Errorf("name %q", "a\nb"), open),
		"a: too many open files; b: file already closed":    fmt.Errorf("a: %w; b: %w", open, errors.Join(closed)),
		"two\nlines: file already closed":                   fmt.Errorf("two\nlines: %w", closed),
	} {
		if got := onOneLine(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var stderr strings.Builder
	Fail(&stderr, errors.Join(open, closed))
	if want := "podtrack: too many open files; file already closed\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}
