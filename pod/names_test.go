package pod

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"pgregory.net/rapid"
)

// TestBadNameAnywhere: one name that is not allowed is found at any place among the actions, the features and the
// parameters that an environment declares.
func TestBadNameAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SampledFrom([]string{"", "a\nb", "\x1b[2J", "n1", strings.Repeat("x", maxNameBytes+1)}).Draw(t, "bad")
		e := schema.Env{Name: "elsewhere", Text: map[string]string{}, External: &schema.External{Version: "1",
			Observes: schema.Real, Size: 6}}
		var names []string
		for i := range 6 {
			names = append(names, fmt.Sprint("n", i))
			e.Text[fmt.Sprint("p", i)] = "1"
		}
		e.External.Actions, e.External.Features = names, names
		if err := CheckDeclaration(e); err != nil {
			t.Fatal(err)
		}
		spoiled := append([]string(nil), names...)
		at := rapid.SampledFrom([]int{0, 2, 3, 4, 5}).Draw(t, "place") // n1 is at place 1
		spoiled[at] = bad
		switch rapid.SampledFrom([]string{"action", "feature", "parameter", "value"}).Draw(t, "what") {
		case "action":
			e.External.Actions = spoiled
		case "feature":
			e.External.Features = spoiled
		case "parameter":
			e.Text[strings.ToUpper(bad)] = "1"
		case "value":
			e.Text[fmt.Sprint("p", at)] = "a\nb"
		}
		if err := CheckDeclaration(e); err == nil {
			t.Fatalf("%+v is accepted", e)
		}
	})
}
