package pod

// NewStateSimilarity returns the similarity of purposes over states, restricted to some of them where
// all others are 0: dims coordinates. each calls add for each transition with the coordinates of the
// state and the next state, −1 for one that has none, and how often the transition counts. The cosines
// are those over all states, since a purpose has no part in the others.
func NewStateSimilarity(dims int, each func(add func(from, to int, n int64))) *Similarity {
	return newSimilarity(dims, func(addRow func(row []float64, n int64)) {
		row := make([]float64, dims)
		each(func(from, to int, n int64) {
			if from == to {
				return // no reward, or outside
			}
			if from >= 0 {
				row[from] = -1
			}
			if to >= 0 {
				row[to] = 1
			}
			addRow(row, n)
			for _, at := range []int{from, to} {
				if at >= 0 {
					row[at] = 0
				}
			}
		})
	})
}

// VisitModelEdges calls visit for each state and action of a simulated environment, with the state
// that it leads to where nothing slips.
func VisitModelEdges(env SimulatedEnv, visit func(s, next int)) {
	for s := range env.States() {
		for a := range env.Actions() {
			visit(s, env.Step(s, a))
		}
	}
}
