package schema

import "testing"

// TestVersions pins the append-only numbers. Who changes one keeps a reader for
// the old one, or makes new run IDs.
func TestVersions(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint64
	}{
		{"format", FormatVersion, 11},
		{"numerics", NumericsVersion, 2},
		{"record", recordVersion, 1},
		{"steps of a chunk", ChunkSteps, 1 << 20},
		{"actions", MaxActions, 127},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s version %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}
