package external

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// The checks in the order in which they are done.
var checkNamesInOrder = []string{
	"hello", "reset", "steps", "episodes", "same reset again", "same steps again", "another process", "snapshot",
	"other seeds", "end",
}

// Check checks a program over the given number of steps with actions drawn from the seed.
func (c Command) Check(ctx context.Context, seed uint64, steps int) (Conformance, error) {
	t := conformanceTest{command: c, seed: seed, steps: steps}
	defer t.close()
	tries := []func(context.Context) (Verdict, string, error){
		t.hello, t.reset, t.act, t.episodes, t.resetAgain, t.actAgain, t.anotherProcess, t.restore, t.otherSeeds,
		t.end,
	}
	var broken error
	for i, try := range tries {
		k := CheckResult{Name: checkNamesInOrder[i], Verdict: NotTried}
		if broken == nil {
			if k.Verdict, k.Found, broken = try(ctx); broken != nil {
				k.Verdict, k.Found, k.Remedy, k.Err = Failed, broken.Error(), schema.Remedy(broken), broken
			}
		}
		if ctx.Err() != nil {
			return t.result, ctx.Err()
		}
		t.result.Checks = append(t.result.Checks, k)
	}
	return t.result, nil
}
