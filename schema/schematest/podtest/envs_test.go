package podtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestPaperSpec: the spec for the tests below pod is that of pod.
func TestPaperSpec(t *testing.T) {
	if diff := cmp.Diff(pod.PaperSpec(), podtest.PaperSpec()); diff != "" {
		t.Error(diff)
	}
}
