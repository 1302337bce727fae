package schema_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestInitiation: the set alone is the one that the whole option has.
func TestInitiation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOption(t)
		record, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		i, err := schema.DecodeInitiation(record)
		if err != nil || i.States != len(o.Policy) || len(i.Words) != (len(o.Policy)+63)/64 {
			t.Fatalf("%d states in %d words, %v; want %d states", i.States, len(i.Words), err, len(o.Policy))
		}
		for s := range 64 * len(i.Words) {
			if in := i.Words[s/64]>>(s%64)&1 == 1; in != o.CanStart(s) {
				t.Fatalf("state %d is in I: %v", s, in)
			}
		}
		if _, err := schema.DecodeInitiation(record[:len(record)-1]); err == nil {
			t.Fatal("a record without its end was decoded")
		}
	})
}
