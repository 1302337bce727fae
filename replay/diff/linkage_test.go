package diff

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naiveLink joins the two clusters that are most alike until none reach the
// limit, looking at all members of all clusters each time.
func naiveLink(n int, limit float64, alike func(i, j int) float64) [][]int {
	clusters := make([][]int, n)
	for i := range clusters {
		clusters[i] = []int{i}
	}
	for {
		bestA, bestB, most := -1, -1, limit
		for a := range clusters {
			for b := range a {
				if least := leastAlike(clusters[a], clusters[b], alike); least >= most {
					bestA, bestB, most = a, b, least
				}
			}
		}
		if bestA < 0 {
			break
		}
		clusters[bestB] = append(clusters[bestB], clusters[bestA]...)
		clusters = slices.Delete(clusters, bestA, bestA+1)
	}
	for _, c := range clusters {
		slices.Sort(c)
	}
	slices.SortFunc(clusters, slices.Compare)
	return clusters
}

func leastAlike(a, b []int, alike func(i, j int) float64) float64 {
	least := alike(a[0], b[0])
	for _, i := range a {
		for _, j := range b {
			least = min(least, alike(i, j))
		}
	}
	return least
}

// drawAlike is a table of similarities, all different unless ties are asked for.
func drawAlike(t *rapid.T, n int, ties bool) func(i, j int) float64 {
	order := make([]int, n*n)
	for i := range order {
		order[i] = i
	}
	order = rapid.Permutation(order).Draw(t, "order")
	return func(i, j int) float64 {
		place := order[min(i, j)*n+max(i, j)]
		if ties {
			place = place / 4 * 4
		}
		return float64(place) / float64(n*n)
	}
}

// TestLinkWithoutTies: the clusters are those of the naive method, whatever the
// order of the items.
func TestLinkWithoutTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		limit := rapid.Float64Range(0, 1.1).Draw(t, "limit")
		alike := drawAlike(t, n, false)
		got, want := completeLinkage(n, limit, alike), naiveLink(n, limit, alike)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		renamed := make([]int, n)
		for i := range renamed {
			renamed[i] = i
		}
		renamed = rapid.Permutation(renamed).Draw(t, "names")
		other := completeLinkage(n, limit, func(i, j int) float64 { return alike(renamed[i], renamed[j]) })
		for _, c := range other {
			for i := range c {
				c[i] = renamed[c[i]]
			}
			slices.Sort(c)
		}
		slices.SortFunc(other, slices.Compare)
		if fmt.Sprint(other) != fmt.Sprint(want) {
			t.Fatalf("in another order %v, want %v", other, want)
		}
	})
}

// TestLinkWithTies: every item is in one cluster, every two of a cluster reach
// the limit, and no two clusters could still be joined.
func TestLinkWithTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		limit := rapid.Float64Range(0, 1.1).Draw(t, "limit")
		alike := drawAlike(t, n, true)
		clusters, seen := completeLinkage(n, limit, alike), map[int]bool{}
		for a, c := range clusters {
			for i, x := range c {
				if seen[x] {
					t.Fatalf("%d twice in %v", x, clusters)
				}
				seen[x] = true
				for _, y := range c[:i] {
					if alike(x, y) < limit {
						t.Fatalf("%d and %d are together in %v with %v", x, y, clusters, alike(x, y))
					}
				}
			}
			for _, d := range clusters[:a] {
				if leastAlike(c, d, alike) >= limit {
					t.Fatalf("%v and %v are apart in %v", c, d, clusters)
				}
			}
		}
		if len(seen) != n {
			t.Fatalf("%d of %d in %v", len(seen), n, clusters)
		}
	})
}
