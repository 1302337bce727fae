package schema_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

func TestRegistry(t *testing.T) {
	r := schema.NewRegistry("colour", schema.Named("red", "old red"), schema.Named("green", "green"))
	if !r.Add("red", 2, "new red") || r.Add("red", 2, "another red") {
		t.Error("a version is registered twice, or not at all")
	}
	for _, c := range []struct {
		name    string
		version uint64
		want    string
		err     string
		remedy  string
	}{
		{"red", 1, "old red", "", ""},
		{"red", 2, "new red", "", ""},
		{"green", 2, "", `invalid spec: colour "green" has no version 2`, "this program has version 1"},
		{"blue", 1, "", `invalid spec: unknown colour "blue"`, "use red or green"},
	} {
		got, err := r.Lookup(c.name, c.version)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err || schema.Remedy(err) != c.remedy ||
			(err != nil) != errors.Is(err, schema.ErrSpec) {
			t.Errorf("%s %d: %q, %q, remedy %q", c.name, c.version, got, text, schema.Remedy(err))
		}
	}
	if got, version, ok := r.Newest("red"); got != "new red" || version != 2 || !ok {
		t.Errorf("the newest red is %q of version %d, %v", got, version, ok)
	}
	if got, err := r.Find("red"); got != "new red" || err != nil {
		t.Errorf("the red found is %q, %v", got, err)
	}
	if _, err := r.Find("blue"); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("a blue is found: %v", err)
	}
	if _, _, ok := r.Newest("blue"); ok {
		t.Error("there is a newest blue")
	}
	if got := r.Names(); !slices.Equal(got, []string{"red", "green"}) {
		t.Errorf("names %v", got)
	}
	if got := r.Values(); !slices.Equal(got, []string{"new red", "green"}) {
		t.Errorf("values %v", got)
	}
}
