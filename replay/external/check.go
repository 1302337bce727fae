package external

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// A question is one of the checks.
type question struct {
	name  string
	needs func(*conformanceTest) bool // whether it can be asked
	ask   func(*conformanceTest, context.Context) (Verdict, string, error)
}

// questions are the checks in the order in which they are done.
var questions = []question{
	{"hello", always, (*conformanceTest).hello},
	{"reset", isDeclared, (*conformanceTest).reset},
	{"steps", hasReset, (*conformanceTest).act},
	{"episodes", hasWalked, (*conformanceTest).episodes},
	{"states", hasWalked, (*conformanceTest).states},
	{"features", hasWalked, (*conformanceTest).features},
	{"same reset again", hasWalked, (*conformanceTest).resetAgain},
	{"same steps again", hasWalked, (*conformanceTest).actAgain},
	{"another process", hasWalked, (*conformanceTest).anotherProcess},
	{"extensions", hasWalked, (*conformanceTest).extensions},
	{"snapshot", hasWalked, (*conformanceTest).restore},
	{"other seeds", hasReset, (*conformanceTest).otherSeeds},
	{"end", hasReset, (*conformanceTest).end},
}

func always(*conformanceTest) bool       { return true }
func isDeclared(t *conformanceTest) bool { return t.seen != nil }
func hasReset(t *conformanceTest) bool   { return t.first >= 0 }
func hasWalked(t *conformanceTest) bool  { return len(t.walk.actions) > 0 }

// Check checks a program over the given number of steps with actions drawn from the seed. After a check that failed it
// does the others, as far as they do not need what failed: a walk that was broken off is repeated up to there.
func (c Command) Check(ctx context.Context, seed uint64, steps int) (Conformance, error) {
	t := conformanceTest{command: c, seed: seed, steps: steps, first: -1}
	defer t.close()
	for _, q := range questions {
		k := CheckResult{Name: q.name, Verdict: NotTried}
		if q.needs(&t) {
			var err error
			if k.Verdict, k.Found, err = q.ask(&t, ctx); err != nil {
				k.Verdict, k.Found, k.Remedy, k.Err = Failed, err.Error(), schema.Remedy(err), err
			}
		}
		if ctx.Err() != nil {
			return t.result, ctx.Err()
		}
		t.result.Checks = append(t.result.Checks, k)
	}
	return t.result, nil
}
