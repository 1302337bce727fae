package diff

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/pod/selection"
)

// BenchmarkMatch matches random sets of as many purposes as features, and weighs them.
func BenchmarkMatch(b *testing.B) {
	for _, size := range []int{25, 50, 100, 200} {
		m := plain(b, size)
		random := rand.New(rand.NewPCG(1, 2))
		x, y := randomSetOf(b, m, random, size), randomSetOf(b, m, random, size)
		weights := magnitudes(selection.Cosines(x, y))
		b.Run(fmt.Sprintf("do=cosines/size=%d", size), func(b *testing.B) {
			for b.Loop() {
				selection.Cosines(x, y)
			}
		})
		b.Run(fmt.Sprintf("do=assign/size=%d", size), func(b *testing.B) {
			for b.Loop() {
				assign(weights, size, size)
			}
		})
	}
}
