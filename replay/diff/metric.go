package diff

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
)

// A metric compares purposes by their intrinsic rewards, and has the chance level of that comparison.
type metric struct {
	*selection.Similarity
	pooled bool      // M sums over recorded rows, not a model's transitions
	levels *sync.Map // of sizes to their [ChanceLevel], shared by metrics of the same M
}

// newModelMetric returns the metric over all transitions of the environment's model, one for each
// state and action.
func newModelMetric(env envs.SimulatedEnv) *metric {
	return newMetric(selection.NewModelSimilarity(env))
}

func newMetric(s *selection.Similarity) *metric {
	return &metric{Similarity: s, levels: chanceLevelsFor(s.Root())}
}

// newPooledMetric returns the metric over the rows of recorded datasets, for runs without a model.
// All have dims features.
func newPooledMetric(dims int, data ...linalg.Dataset) *metric {
	m := newMetric(selection.NewDataSimilarity(dims, data...))
	m.pooled = true
	return m
}

var chanceLevels sync.Map // by the SHA-256 of M's root

// chanceLevelsFor returns the cache of chance levels of metrics with this root.
func chanceLevelsFor(root [][]float64) *sync.Map {
	h := sha256.New()
	for _, row := range root {
		for _, x := range row {
			_ = binary.Write(h, binary.LittleEndian, x) // no error: a hash accepts all writes
		}
	}
	kept, _ := chanceLevels.LoadOrStore([sha256.Size]byte(h.Sum(nil)), &sync.Map{})
	return kept.(*sync.Map)
}

// rank returns the number of dimensions in which transitions differ.
func (m *metric) rank() int { return len(m.Root()) }
