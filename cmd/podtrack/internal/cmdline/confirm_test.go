package cmdline

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestReadAnswer: an interruption ends a question that nobody answers, with the error of other interruptions.
func TestReadAnswer(t *testing.T) {
	for typed, want := range map[string]string{"y\n": "y", " YES \n": "yes", "\n": "", "": "", "no": "no"} {
		if got, err := readAnswer(t.Context(), strings.NewReader(typed)); err != nil || got != want {
			t.Errorf("%q: %q, %v", typed, got, err)
		}
	}
	nobody, typing := io.Pipe()
	defer typing.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("received a signal"))
	if _, err := readAnswer(ctx, nobody); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
