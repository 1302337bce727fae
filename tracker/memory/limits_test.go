package memory

import (
	"errors"
	"testing"
)

// TestLimits: all that is free can be had, and one byte more cannot; a need below smallMemory is not asked for.
func TestLimits(t *testing.T) {
	const most = smallMemory + 100
	// check is given what is free at the first look, and at the second, which follows where that is not enough.
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
