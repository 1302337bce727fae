package schema_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// TestRewardsSize: a record lists up to 128 different rewards once, and one more makes it list all steps.
func TestRewardsSize(t *testing.T) {
	for _, c := range []struct{ steps, values, want int }{
		{1 << 20, 1, 1<<17 + 8}, {1 << 20, 3, 1<<18 + 24}, {1 << 20, 128, 1<<20 + 1024}, {1 << 20, 129, 8 << 20},
		{0, 1, 0},
	} {
		r := make(schema.Rewards, c.steps)
		for i := range r {
			r[i] = float64(i % c.values)
		}
		record, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		shape, err := schema.ReadShape(record)
		if err != nil {
			t.Fatal(err)
		}
		header, err := wire.Marshal(map[string]any{"kind": schema.KindRewards, "shape": shape[:2], "version": 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(record) - len(header); got != c.want {
			t.Errorf("%d different rewards take %d bytes, want %d", c.values, got, c.want)
		}
		if back, err := schema.DecodeRewards(record); err != nil || !slices.Equal(back, r) {
			t.Errorf("%d different rewards are decoded otherwise, %v", c.values, err)
		}
	}
}

// TestRewardsRefused: rewards have one encoding, and any other record of them is refused.
func TestRewardsRefused(t *testing.T) {
	const head = `a3 "kind" "rewards" "shape" 82 `
	const one, two = " 000000000000f03f", " 0000000000000040"
	for name, listing := range map[string]string{
		"as they should be":   head + `02 02 "version" 01` + one + two + "02",
		"not listed once":     head + `02 00 "version" 01` + one + two,
		"listed twice":        head + `02 02 "version" 01` + one + one + "02",
		"in another order":    head + `02 02 "version" 01` + one + two + "01",
		"one that never is":   head + `02 02 "version" 01` + one + two + "00",
		"beyond the list":     head + `02 03 "version" 01` + one + two + one + "0c",
		"bits that have none": head + `02 02 "version" 01` + one + two + "06",
		"-0":                  head + `01 01 "version" 01` + " 0000000000000080 00",
		"infinite":            head + `01 01 "version" 01` + " 000000000000f07f 00",
	} {
		_, err := schema.DecodeRewards(assemble(t, listing))
		if name == "as they should be" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, wire.ErrNotCanonical) && !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range []schema.Rewards{{math.Copysign(0, -1)}, make(schema.Rewards, schema.ChunkSteps+1)} {
		if _, err := r.Encode(); err == nil {
			t.Errorf("%d rewards, the first %v, were encoded", len(r), r[0])
		}
	}
}
