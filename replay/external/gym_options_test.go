package external

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

func TestSplitOptions(t *testing.T) {
	for text, want := range map[string][]string{
		"Walk-v0":                                {"Walk-v0"},
		"ale_py:ALE/Pong-v5,obs_type=ram":        {"ale_py:ALE/Pong-v5", "obs_type=ram"},
		`Lake,desc=["SF","FG"],bits`:             {"Lake", `desc=["SF","FG"]`, "bits"},
		`Lake,size=(3, 4),at={"a": [1,2]}`:       {"Lake", "size=(3, 4)", `at={"a": [1,2]}`},
		`Lake,text='a,b]',more="\",\\"`:          {"Lake", "text='a,b]'", `more="\",\\"`},
		"M,wrap=m:F(a=1,b=2)/m:G,range=-1:1/0:2": {"M", "wrap=m:F(a=1,b=2)/m:G", "range=-1:1/0:2"},
	} {
		if got, err := splitOptions(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "", ",bits": "", "A=1": "", "A,": "nothing stands behind a comma", "A,=3": "",
		"A,,bits":      "nothing stands behind a comma",
		`A,desc=["SF"`: `']' is missing at the end`, "A,x=(1]": "']' closes nothing", "A,x='b": "is missing", "A)": "closes",
	} {
		_, err := splitOptions(text)
		if !errors.Is(err, ErrGym) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(schema.Remedy(err), "write gym:NAME") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestOptionsJoin: what is split at commas is joined by them, and no option is split again.
func TestOptionsJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune(`ab=,()[]{}'"\`))).Draw(t, "text")
		parts, err := splitOptions(text)
		if err != nil {
			return
		}
		if joined := strings.Join(parts, ","); joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
		for _, part := range parts[1:] {
			if again, err := splitOptions("A," + part); err != nil || len(again) != 2 {
				t.Fatalf("%q of %q: %q, %v", part, text, again, err)
			}
		}
	})
}
