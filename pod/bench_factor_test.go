package pod_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// factorShapes are datasets of binary features as environments give them: rows of D whose
// entries are −1, 0 and 1.
var factorShapes = []struct {
	name string
	rows int // distinct ones
	dims int
	used int // features that ever change
	ones int // entries of a row that are not 0
}{
	{"ram", 3000, 1024, 49, 8},     // 128 bytes of RAM as bits, 975 of which are constant
	{"tiles", 2000, 2500, 79, 4},   // tile coding, of which an episode sees few
	{"dense", 2000, 256, 256, 64},  // every feature changes
	{"sparse", 4000, 512, 512, 10}, // every feature changes, few at a time
	{"many", 10000, 1024, 1024, 10},
}

// BenchmarkFactorShapes factors datasets by their shape. Run it with -benchtime 1x.
func BenchmarkFactorShapes(b *testing.B) {
	for _, shape := range factorShapes {
		for _, how := range []pod.Factoring{pod.Jacobi, pod.Gram, pod.Reduced} {
			if shape.name == "many" && how == pod.Jacobi {
				continue // minutes
			}
			b.Run(fmt.Sprintf("%s/%dx%d/%v", shape.name, shape.rows, shape.dims, how), func(b *testing.B) {
				d := randomDifferences(shape.rows, shape.dims, shape.used, shape.ones)
				for b.Loop() {
					if _, err := pod.Factor(context.Background(), how, d); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// randomDifferences returns rows of dims features, of which the first used ones change, ones
// at a time.
func randomDifferences(rows, dims, used, ones int) pod.Dataset {
	stream := pod.NewStream(0, 0, "test")
	d := pod.Dataset{Dims: dims, Rows: make([]schema.SparseRow, rows), Counts: make([]int64, rows)}
	for i := range rows {
		d.Counts[i] = 1 + int64(stream.Below(9))
		row := make([]float64, dims)
		for range ones {
			row[stream.Below(used)] = float64(2*stream.Below(2) - 1)
		}
		d.Rows[i] = schema.NewSparseRow(row)
	}
	return d
}
