package textform

import "testing"

func TestRoughly(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "1 s", 99: "99 s", 100: "2 min", 3600: "60 min", 2 * 3600: "2 h", 71 * 3600: "71 h", 72 * 3600: "3 days",
		1e9: "11574 days",
	} {
		if got := Roughly(seconds); got != want {
			t.Errorf("%g s is %s, want %s", seconds, got, want)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.04: "0.0 s", 2.99: "2.9 s", 9.99: "9.9 s", 10.9: "10 s", 119: "1 min", 179.9 * 60: "2 h", 80 * 3600: "3 days",
	} {
		if got := AtLeast(seconds); got != want {
			t.Errorf("%v s: %q, want %q", seconds, got, want)
		}
	}
}

func TestBriefly(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "1 ms", 0.0412: "41 ms", 0.94: "940 ms", 0.95: "0.9 s", 2.94: "2.9 s", 9.94: "9.9 s", 9.96: "10 s", 600: "10 min",
	} {
		if got := Briefly(seconds); got != want {
			t.Errorf("%v s: %q, want %q", seconds, got, want)
		}
	}
}
