package schema_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestLeaveOut reads options that are left out, and refuses what names none.
func TestLeaveOut(t *testing.T) {
	for text, want := range map[string][]uint64{"none": nil, "": nil, "0": {0}, "3+17": {3, 17}} {
		s := paper()
		if err := errors.Join(s.Set("leave_out", text), s.Validate()); err != nil || !slices.Equal(s.LeaveOut, want) {
			t.Errorf("%q: %v, %v, want %v", text, s.LeaveOut, err, want)
		}
	}
	for _, text := range []string{"3+3", "17+3", "x", "3,17", "-1", "3+", "99999999999"} {
		s := paper()
		if err := errors.Join(s.Set("leave_out", text), s.Validate()); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%q: %v, %v", text, s.LeaveOut, err)
		}
	}
}

// TestLeaveOutIsOptional: a spec without it has the bytes that it had before there was the field, and
// one with it other bytes, which come back.
func TestLeaveOutIsOptional(t *testing.T) {
	s := paper()
	before, err := schema.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	s.LeaveOut = []uint64{}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if again, err := schema.Marshal(s); err != nil || !slices.Equal(again, before) {
		t.Errorf("no option left out changes the spec's bytes: %v", err)
	}
	s.LeaveOut = []uint64{3, 17}
	encoded, err := schema.Marshal(s)
	if err != nil || slices.Equal(encoded, before) {
		t.Fatalf("options left out change nothing: %v", err)
	}
	var back schema.Spec
	if err := schema.Unmarshal(encoded, &back); err != nil || !slices.Equal(back.LeaveOut, s.LeaveOut) {
		t.Errorf("%v came back as %v, %v", s.LeaveOut, back.LeaveOut, err)
	}
	if text, ok := back.Get("leave_out"); text != "3+17" || !ok {
		t.Errorf("as text %q", text)
	}
}
