package sweep

import "testing"

// TestSizes: neither sizes nor times are ever written with an exponent.
func TestSizes(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 KB", 999_400: "999 KB", 999_500: "1 MB",
		56_400_000: "56.4 MB", 295_000_000_000: "295 GB", 2_000_000_000_000: "2 TB"} {
		if got := bytesText(&bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
	for seconds, want := range map[float64]string{0.25: "250 ms", 1.44: "1.4 s", 10: "10 s", 12.3: "12 s", 600: "10 min"} {
		if got := durationText(&seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}
