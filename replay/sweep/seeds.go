package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
)

// MaxSeeds limits a list of seeds.
const MaxSeeds = 1_000_000

// Seeds is a set of seeds, ascending. Its text form lists seeds and ranges, such as 0,3,7-9.
type Seeds []uint64

// ParseSeeds parses the text form. Seeds and ranges may overlap and come in any order.
func ParseSeeds(list string) (Seeds, error) {
	var seeds Seeds
	for _, part := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(textform.PlainInteger(low), 10, 64)
		b, err2 := strconv.ParseUint(textform.PlainInteger(high), 10, 64)
		switch {
		case err1 != nil || err2 != nil:
			return nil, schema.Hint(fmt.Errorf("seeds %q", part),
				"give whole numbers: one seed, a range such as 0-29, or a list of them")
		case a > b:
			return nil, schema.Hint(fmt.Errorf("the range of seeds %q is reversed", part), "write it as %d-%d", b, a)
		case b-a >= MaxSeeds-uint64(len(seeds)):
			return nil, schema.Hint(fmt.Errorf("seeds %q are more than %d runs", list, MaxSeeds), "begin fewer at once")
		}
		for s := a; ; s++ {
			seeds = append(seeds, s)
			if s == b {
				break
			}
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds), nil
}

// String returns the shortest text form.
func (s Seeds) String() string {
	var parts []string
	for i := 0; i < len(s); {
		end := i + 1
		for end < len(s) && s[end] == s[end-1]+1 {
			end++
		}
		switch first, last := s[i], s[end-1]; {
		case first == last:
			parts = append(parts, fmt.Sprint(first))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", first, last))
		}
		i = end
	}
	return strings.Join(parts, ",")
}

// MarshalText returns the text form.
func (s Seeds) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the text form.
func (s *Seeds) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSeeds(string(text))
	return err
}
