package diff

import (
	"cmp"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// verdictOf returns the result of a group's comparison in at most three sentences, each on its own line: how many
// purposes or options several runs found, compared with chance; in which iterations the similarity is above chance; and
// by how much it is where it is largest. Sets of different purposes can have a high mean similarity, too, so the first
// does not follow from the others.
func verdictOf(g *Clustering) string {
	if len(g.Runs) < 2 {
		return fmt.Sprintf("Nothing to compare: the group has %s with iterations.", textfmt.CountOf(len(g.Runs), "run"))
	}
	if len(g.Distinct()) == 0 {
		who := g.members()
		return fmt.Sprintf("%s select nothing.", strings.ToUpper(who[:1])+who[1:])
	}
	sentences := []string{g.sharingVerdict(), g.similarityVerdict()}
	if strongest := g.strongest(); strongest != nil {
		sentences = append(sentences, strongest.text())
	}
	return strings.Join(sentences, "\n")
}

// similarityVerdict returns a sentence with the iterations in which the similarity of the runs is above chance.
func (c *Clustering) similarityVerdict() string {
	var tested, above, others []int
	for _, a := range c.Iterations {
		if a.Of != c.By || a.P == nil {
			continue
		}
		if tested = append(tested, a.K); a.Above {
			above = append(above, a.K)
		} else {
			others = append(others, a.K)
		}
	}
	level := fmt.Sprintf("p ≤ %g and an interval that excludes 0", c.Level)
	if len(tested) > 1 {
		level += fmt.Sprintf(", adjusted for %d tests", len(tested))
	}
	switch {
	case len(tested) == 0:
		return fmt.Sprintf("Whether the similarity of %s is above chance is unknown.", c.By)
	case len(above) == 0:
		return fmt.Sprintf("That the similarity of %s is above chance is not settled in %s (%s).", c.By,
			iterationList(others), level)
	case len(above) == len(tested):
		return fmt.Sprintf("Similarity of %s is above chance in %s (%s).", c.By, iterationList(above), level)
	}
	return fmt.Sprintf("Similarity of %s is above chance in %s (%s); in %s it is not settled.", c.By,
		iterationList(above), level,
		strings.TrimPrefix(strings.TrimPrefix(iterationList(others), "iterations "), "iteration "))
}

// strongest returns the iteration whose similarity is farthest above chance: among those that are significantly above
// chance, if there are any. It is nil if none was tested.
func (c *Clustering) strongest() (best *Agreement) {
	for i := range c.Iterations {
		a := &c.Iterations[i]
		if a.Of != c.By || a.Excess == nil || a.P == nil {
			continue
		}
		if best == nil || a.Above && !best.Above || a.Above == best.Above && *a.Excess > *best.Excess {
			best = a
		}
	}
	return best
}

// text returns a sentence with the similarity and how far it is above chance.
func (a Agreement) text() string {
	interval := textfmt.FormatInterval(a.ExcessLow, a.ExcessHigh, 3)
	if interval != "" {
		interval = fmt.Sprintf(" %s at %.4g %%", interval, 100*a.ExcessLevel)
	}
	return fmt.Sprintf("Strongest in %d: similarity %.3f (chance %.3f), %.3f above it%s.", a.K, *a.Observed, *a.Chance,
		*a.ShownExcess(), interval)
}

// ShownExcess returns the difference of the observed and the chance similarity after both are rounded to the three
// digits that are shown, so that the shown numbers add up. It is nil if the excess is.
func (a Agreement) ShownExcess() *float64 {
	if a.Excess == nil {
		return nil
	}
	return new(math.Round(thousandths(*a.Observed)-thousandths(*a.Chance)) / 1000)
}

// thousandths returns x times 1000, rounded as text with three digits is.
func thousandths(x float64) float64 {
	rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.3f", x), 64) // which takes what Sprintf writes
	return math.Round(1000 * rounded)
}

// sharingVerdict returns a sentence with the number of distinct purposes or options that more than one run found, the
// number of runs that found the most common one, and whether that is more than by chance.
func (c *Clustering) sharingVerdict() string {
	list, one, runs := c.Distinct(), strings.TrimSuffix(string(c.By), "s"), len(c.Runs)
	shared := sort.Search(len(list), func(i int) bool { return list[i].Runs < 2 }) // the most common come first
	everywhere := sort.Search(len(list), func(i int) bool { return list[i].Runs < runs })
	are, several := "are", fmt.Sprintf("two %s or more", c.members())
	if shared == 1 {
		are = "is"
	}
	if runs == 2 {
		several = "both " + c.members()
	}
	text := fmt.Sprintf("%d (%.3g %%) of %s %s in %s", shared, 100*float64(shared)/float64(len(list)),
		textfmt.CountOf(len(list), "distinct "+one), are, several)
	switch {
	case runs == 2 || shared == 0:
	case everywhere > 0:
		text += fmt.Sprintf(", %d in all %d", everywhere, runs)
	default:
		text += fmt.Sprintf(", the most common in %d of %d", list[0].Runs, runs)
	}
	return text + c.chanceVerdict() + "."
}

// chanceVerdict returns the end of the sentence: whether more runs share the most common item than by chance.
func (c *Clustering) chanceVerdict() string {
	random := "random directions"
	if c.By == Options {
		random = "options of " + random
	}
	switch s := c.Sharing; {
	case s.Mean != nil:
		above := "this is above chance"
		if s.Most <= *s.P95 {
			above = "whether this is above chance is not settled"
		}
		return fmt.Sprintf("; %s (the most common of %s: in %.1f on average, at most %d in 95 %% of %d draws)", above, random,
			*s.Mean, *s.P95, s.Draws)
	case s.Unknown == unknownModel:
		return "; whether this is above chance is unknown without a model"
	case s.Unknown == unknownTooLong:
		return "; whether this is above chance is not computed, since that would take long"
	}
	return ""
}

// members returns the word for the runs: seeds, if each has its own.
func (c *Clustering) members() string {
	seeds := map[uint64]bool{}
	for _, r := range c.Runs {
		seeds[r.Seed] = true
	}
	if len(seeds) == len(c.Runs) {
		return "seeds"
	}
	return "runs"
}

// iterationList returns a list of iterations, such as "iterations 0–2 and 5".
func iterationList(ks []int) string {
	parts := textfmt.Ranges(ks, "–", 3)
	if len(parts) == 1 && !strings.Contains(parts[0], "–") {
		return "iteration " + parts[0]
	}
	return "iterations " + textfmt.JoinWords(parts)
}

// Limits holds the thresholds for sameness. The zero value of a field stands for its default.
type Limits struct {
	Cosine    float64 // least |cos_M| of two purposes that are the same; [Threshold]
	Agreement float64 // least similarity of two options that are the same; [Threshold]
	Gap       float64 // two σ closer than this fraction of the larger one are nearly equal; 0.01
}

// Threshold is the similarity from which on two purposes, or two options, are the same, in every comparison. |cos_M| =
// 0.95 is an angle of 18°. On the paper's ring the best matches of random sets of the sizes that occur have their 95th
// percentile at 0.91 to 0.94, so fewer than one in twenty of them reaches it; every comparison also reports the chance
// level of its own sets.
const Threshold = 0.95

// NarrowGap is the gap to a neighbour, as a share of σ, below which a few other rows of D change the direction.
const NarrowGap = 0.01

// WithDefaults returns the limits with their defaults filled in.
func (l Limits) WithDefaults() Limits {
	return Limits{cmp.Or(l.Cosine, Threshold), cmp.Or(l.Agreement, Threshold), cmp.Or(l.Gap, NarrowGap)}
}
