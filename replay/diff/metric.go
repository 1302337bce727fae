package diff

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// Metric measures purposes by the rewards that they give, and knows how alike
// random ones look in it.
type Metric struct {
	*pod.Similarity
	pooled bool      // of recorded rows, not of a model
	levels *sync.Map // of sizes to their [ChanceLevel], shared by metrics of the same M
}

// ModelMetric is the metric over all transitions of the environment's model, one
// a state and action.
func ModelMetric(env pod.Env) *Metric {
	s := pod.NewModelSimilarity(env)
	return &Metric{Similarity: s, levels: chanceLevelsFor(s.Root())}
}

// PooledMetric is the metric over the rows of recorded datasets, for runs
// without a model. All have dims features.
func PooledMetric(dims int, data ...schema.Factors) *Metric {
	var sets []pod.Dataset
	for _, f := range data {
		sets = append(sets, pod.DatasetFromFactors(f))
	}
	s := pod.NewDataSimilarity(dims, sets...)
	return &Metric{Similarity: s, pooled: true, levels: chanceLevelsFor(s.Root())}
}

var chanceLevels sync.Map // by the SHA-256 of M's root

// chanceLevelsFor is where the levels of chance are kept that metrics with this root have.
func chanceLevelsFor(root [][]float64) *sync.Map {
	h := sha256.New()
	for _, row := range root {
		for _, x := range row {
			_ = binary.Write(h, binary.LittleEndian, x) // a hash takes all
		}
	}
	kept, _ := chanceLevels.LoadOrStore([sha256.Size]byte(h.Sum(nil)), &sync.Map{})
	return kept.(*sync.Map)
}

// Rank is the number of dimensions in which transitions differ.
func (m *Metric) Rank() int { return len(m.Root()) }
