package diff

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNameDirection(t *testing.T) {
	features := []string{"bit0", "bit1", "bit2", "bit3", "bit4"}
	for _, c := range []struct {
		v    []float64
		want string
	}{
		{[]float64{0, 0, 1}, "+bit2"},
		{[]float64{0.1, -0.9, 0.5}, "+bit1 −bit2"},
		{[]float64{-1, -0.6, 0.5, 0.4}, "+bit0 +bit1 −bit2"},
		{[]float64{1, 1, 1, 1, 1}, "+bit0 +bit1 +bit2 …"},
		{[]float64{0, 0}, ""},
		{nil, ""},
		{[]float64{0, 0, 0, 0, 0, 0, -2}, "+6"}, // a feature without a name
	} {
		if got := NamePurpose(features, c.v); len(c.v) > 0 && c.v[0] == -1 && got != "−bit0 −bit1 +bit2" {
			t.Errorf("purpose %v: %q", c.v, got)
		}
		if got := nameDirection(features, c.v); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}

// TestNumberNames: different purposes may have the same features of largest weight.
func TestNumberNames(t *testing.T) {
	numbered, again := NumberNames(), NumberNames()
	var got []string
	for _, name := range []string{"+bit3", "+bit1", "+bit3", "", "+bit3", ""} {
		got = append(got, numbered(name))
	}
	if want := []string{"+bit3", "+bit1", "+bit3 (2)", "", "+bit3 (3)", " (2)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if name := again("+bit3"); name != "+bit3" {
		t.Errorf("names elsewhere begin with %q", name)
	}
}

// TestStrip: a strip has the largest weight as ±1, has no more than 64 places, and is as the weights are if there are
// fewer.
func TestStrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 0, 300).Draw(t, "weights")
		strip := Strip(v)
		if len(strip) != min(len(v), 64) {
			t.Fatalf("%d places of %d weights", len(strip), len(v))
		}
		if !slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) {
			return
		}
		largest := 0.0
		for _, x := range strip {
			largest = max(largest, x, -x)
		}
		if largest != 1 {
			t.Fatalf("the largest is %v: %v", largest, strip)
		}
		for i, x := range strip {
			if len(v) <= 64 && (x > 0 && v[i] < 0 || x < 0 && v[i] > 0) {
				t.Fatalf("place %d has %v, the weight is %v", i, x, v[i])
			}
		}
	})
}
