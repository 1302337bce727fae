package diff

import (
	"fmt"
	"slices"
	"strings"
)

// verdictOf returns what a comparison of a group found, in one sentence.
func verdictOf(g *Clustering) string {
	if len(g.Runs) < 2 {
		return fmt.Sprintf("Nothing to compare: the group has %s with iterations.", plural(len(g.Runs), "run"))
	}
	return fmt.Sprintf("%s; %s.", g.agreementVerdict(), g.prevalenceVerdict())
}

// agreementVerdict tells in which iterations the runs agree above chance.
func (g *Clustering) agreementVerdict() string {
	var tested, above []int
	for _, a := range g.Iterations {
		if a.Of == g.By && a.P != nil {
			if tested = append(tested, a.K); a.Above {
				above = append(above, a.K)
			}
		}
	}
	who := g.members()
	who = strings.ToUpper(who[:1]) + who[1:]
	switch {
	case len(tested) == 0 && !g.anyFound():
		return fmt.Sprintf("%s select nothing", who)
	case len(tested) == 0:
		return fmt.Sprintf("Whether %s agree on %s above chance is not known", g.members(), g.By)
	case len(above) == 0:
		return fmt.Sprintf("%s agree on %s above chance in no iteration", who, g.By)
	case len(above) == len(tested):
		return fmt.Sprintf("%s agree on %s above chance in %s", who, g.By, everyIteration(above))
	}
	return fmt.Sprintf("%s agree on %s above chance in %s only", who, g.By, iterationList(above))
}

// prevalenceVerdict tells how many runs share a purpose or an option.
func (g *Clustering) prevalenceVerdict() string {
	list, one, runs := g.Distinct(), strings.TrimSuffix(string(g.By), "s"), len(g.Runs)
	switch {
	case len(list) == 0:
		return fmt.Sprintf("there is no %s to share", one)
	case list[0].Runs == 1:
		return fmt.Sprintf("no %s is shared by two of %d %s", one, runs, g.members())
	case list[0].Runs < runs:
		return fmt.Sprintf("no %s is shared by more than %d of %d %s", one, list[0].Runs, runs, g.members())
	}
	n := 0
	for _, d := range list {
		if d.Runs == runs {
			n++
		}
	}
	if runs == 2 {
		return fmt.Sprintf("%s shared by both %s", isOrAre(n, one), g.members())
	}
	return fmt.Sprintf("%s shared by all %d %s", isOrAre(n, one), runs, g.members())
}

func (g *Clustering) anyFound() bool { return len(g.Distinct()) > 0 }

// members returns what the runs are called: seeds, if each has its own.
func (g *Clustering) members() string {
	seeds := map[uint64]bool{}
	for _, r := range g.Runs {
		seeds[r.Seed] = true
	}
	if len(seeds) == len(g.Runs) {
		return "seeds"
	}
	return "runs"
}

func everyIteration(ks []int) string {
	if len(ks) == 1 {
		return "iteration " + fmt.Sprint(ks[0])
	}
	return fmt.Sprintf("every iteration, %s", strings.TrimPrefix(iterationList(ks), "iterations "))
}

// iterationList returns a list of iterations, such as "iterations 0–2 and 5".
func iterationList(ks []int) string {
	ks = slices.Clone(ks)
	var parts []string
	for len(ks) > 0 {
		n := 1
		for n < len(ks) && ks[n] == ks[0]+n {
			n++
		}
		switch n {
		case 1, 2:
			parts, n = append(parts, fmt.Sprint(ks[0])), 1
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", ks[0], ks[n-1]))
		}
		ks = ks[n:]
	}
	noun := "iterations "
	if last := len(parts) - 1; last > 0 {
		return noun + strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	if !strings.Contains(parts[0], "–") {
		noun = "iteration "
	}
	return noun + parts[0]
}

func isOrAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
