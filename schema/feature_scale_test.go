package schema_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestFeatureScale reads scales, of which none is absent from the spec's bytes.
func TestFeatureScale(t *testing.T) {
	for _, tt := range []struct {
		text   string
		change func(*schema.Spec)
		want   schema.FeatureScale
		valid  bool
	}{
		{"none", nil, schema.Unscaled, true},
		{"", nil, schema.Unscaled, true},
		{"rms", nil, schema.RMS, true},
		{"RMS", nil, "", false},
		{"rms", func(s *schema.Spec) { s.Method = schema.Successor }, "", false},
		{"none", func(s *schema.Spec) { s.Method = schema.Successor }, schema.Unscaled, true},
	} {
		s := paper()
		if tt.change != nil {
			tt.change(&s)
		}
		err := errors.Join(s.Set("feature_scale", tt.text), s.Validate())
		if errors.Is(err, schema.ErrSpec) == tt.valid || tt.valid && s.FeatureScale != tt.want {
			t.Errorf("%q with method %q: %q, %v", tt.text, s.Method, s.FeatureScale, err)
		}
		if text, ok := s.Get("feature_scale"); tt.valid && (!ok || text == "") {
			t.Errorf("%q: as text %q, %v", tt.text, text, ok)
		}
	}
}
