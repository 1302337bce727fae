package diff

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/stats"
)

// TestMedoid is the member that is most like all, by definition.
func TestMedoid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := drawRing(t)
		m, d := ModelMetric(env), len(env.Features())
		var items []foundDirection
		var members []int
		for i := range rapid.IntRange(1, 9).Draw(t, "items") {
			image := m.Image(drawVector(t, fmt.Sprint("vector ", i), d))
			items = append(items, foundDirection{direction: direction{image: image}})
			if i == 0 || rapid.Bool().Draw(t, "member") {
				members = append(members, i)
			}
		}
		alike := func(i int) (sum float64) {
			for _, j := range members {
				sum += math.Abs(pod.Cosine(items[i].image, items[j].image))
			}
			return sum
		}
		got := medoid(items, members)
		for _, i := range members {
			if alike(i) > alike(got)+rounding {
				t.Fatalf("%d of %v with a sum of %v; %d has %v", got, members, alike(got), i, alike(i))
			}
		}
	})
}

// TestNewDistinct: what is said of a purpose that runs 0 and 2 of three found.
func TestNewDistinct(t *testing.T) {
	at := func(run, k int, sigma float64, image ...float64) foundDirection {
		return foundDirection{
			direction: direction{sigma: sigma, image: image, vector: image}, run: run, k: k,
			ref: fmt.Sprintf("%d:%d", run, k),
		}
	}
	items := []foundDirection{at(0, 1, 2, 1, 0), at(0, 2, 4, 0.96, 0.28), at(1, 0, 5, 0, 1), at(2, 0, 6, -0.8, -0.6)}
	d := newDistinctPurpose(items, []int{0, 1, 3}, 3)
	if d.Name != "0:2" || d.Directions != 3 || d.Runs != 2 || d.First != 0 || d.Sigma != 4 || d.Prevalence != 2.0/3 {
		t.Errorf("%+v", d)
	}
	if low, high := stats.Wilson(2, 3); d.Low != low || d.High != high {
		t.Errorf("interval %v to %v, Wilson's is %v to %v", d.Low, d.High, low, high)
	}
	if d.Found[0] == nil || *d.Found[0] != 1 || d.Found[1] != nil || d.Found[2] == nil || *d.Found[2] != 0 {
		t.Errorf("found %v", d.Found)
	}
}
