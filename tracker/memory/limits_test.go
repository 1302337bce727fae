package memory

import (
	"errors"
	"testing"
)

// TestLimits: a need up to all free memory is allowed, and one byte more is refused; a need below smallMemory is not
// checked.
func TestLimits(t *testing.T) {
	const most = smallMemory + 100
	// check checks a need against the memory that is free at a first look, and if that is not enough, at a second.
	check := func(need, first, second int64) error {
		looks := []int64{first, second}
		return checkWithin(func() []bound {
			free := looks[0]
			looks = looks[1:]
			return []bound{{free: free + 1}, {free: free}}
		}, need)
	}
	for _, limit := range []struct {
		name       string
		at, beyond error
	}{
		{"what is free", check(most, most, 0), check(most+1, most, 0)},
		{"what is free after garbage is collected", check(most, 0, most), check(most+1, 0, most)},
		{"what is not asked for", check(smallMemory-1, 0, 0), check(smallMemory, 0, 0)},
	} {
		if limit.at != nil || !errors.Is(limit.beyond, ErrNotEnough) {
			t.Errorf("%s: at the limit %v, one beyond %v", limit.name, limit.at, limit.beyond)
		}
	}
}
