package runset

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// MaxSeeds is the largest number of seeds in a set of seeds.
const MaxSeeds = 1_000_000

// A seedRange is the seeds from First to Last, both included.
type seedRange struct {
	_           struct{} `cbor:",toarray"`
	First, Last uint64
}

// Seeds is a set of up to [MaxSeeds] seeds, kept as ranges, so that a long range takes no memory. Its text form lists
// seeds and ranges, such as 0,3,7-9. It is immutable; the zero value is the empty set.
type Seeds struct {
	ranges []seedRange // ascending, with a gap between any two
	before []int       // by range: the number of seeds in the ranges before it
}

// SeedSet returns the set of the given seeds, which may come in any order.
func SeedSet(seeds ...uint64) Seeds {
	ranges := make([]seedRange, len(seeds))
	for i, s := range seeds {
		ranges[i] = seedRange{First: s, Last: s}
	}
	return uniteRanges(ranges)
}

// uniteRanges returns the set of all seeds in the ranges, which may overlap. It reorders them.
func uniteRanges(ranges []seedRange) Seeds {
	slices.SortFunc(ranges, func(a, b seedRange) int { return cmp.Compare(a.First, b.First) })
	united := ranges[:0]
	for _, r := range ranges {
		if n := len(united) - 1; n >= 0 && (united[n].Last >= r.First || united[n].Last+1 == r.First) {
			united[n].Last = max(united[n].Last, r.Last)
		} else {
			united = append(united, r)
		}
	}
	return newSeeds(united)
}

// newSeeds returns the set of the ranges, which are in canonical form.
func newSeeds(ranges []seedRange) Seeds {
	s := Seeds{ranges: ranges, before: make([]int, len(ranges))}
	n := 0
	for i, r := range ranges {
		s.before[i] = n
		n += int(r.Last-r.First) + 1
	}
	return s
}

// ParseSeeds parses the text form. Seeds and ranges may overlap and come in any order.
func ParseSeeds(list string) (Seeds, error) {
	var ranges []seedRange
	n := uint64(0)
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(textfmt.PlainInteger(low), 10, 64)
		b, err2 := strconv.ParseUint(textfmt.PlainInteger(high), 10, 64)
		switch {
		case err1 != nil || err2 != nil:
			return Seeds{}, schema.Hint(fmt.Errorf("invalid seeds %q", part),
				"give whole numbers: one seed, a range such as 0-29, or a list of them")
		case a > b:
			return Seeds{}, schema.Hint(fmt.Errorf("the range of seeds %q is reversed", part), "write it as %d-%d", b, a)
		case b-a >= MaxSeeds-n:
			return Seeds{}, schema.Hint(fmt.Errorf("seeds %.100q are more than %d runs", list, MaxSeeds), "begin fewer at once")
		}
		n += b - a + 1
		ranges = append(ranges, seedRange{First: a, Last: b})
	}
	return uniteRanges(ranges), nil
}

// Len returns the number of seeds.
func (s Seeds) Len() int {
	n := len(s.ranges) - 1
	if n < 0 {
		return 0
	}
	return s.before[n] + int(s.ranges[n].Last-s.ranges[n].First) + 1
}

// At returns the i-th seed, from 0.
func (s Seeds) At(i int) uint64 {
	n := sort.SearchInts(s.before, i+1) - 1
	return s.ranges[n].First + uint64(i-s.before[n])
}

// Contains reports whether the seed is in the set.
func (s Seeds) Contains(seed uint64) bool {
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].Last >= seed })
	return i < len(s.ranges) && s.ranges[i].First <= seed
}

// All returns the seeds in ascending order.
func (s Seeds) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range s.Len() {
			if !yield(s.At(i)) {
				return
			}
		}
	}
}

// Equal reports whether both sets have the same seeds.
func (s Seeds) Equal(t Seeds) bool { return slices.Equal(s.ranges, t.ranges) }

// String returns the shortest text form.
func (s Seeds) String() string {
	parts := make([]string, len(s.ranges))
	for i, r := range s.ranges {
		parts[i] = fmt.Sprint(r.First)
		if r.First != r.Last {
			parts[i] = fmt.Sprintf("%d-%d", r.First, r.Last)
		}
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
