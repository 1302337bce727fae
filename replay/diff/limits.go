package diff

// Limits holds the thresholds for sameness. The zero value of a field stands for its default.
type Limits struct {
	Cosine    float64 // least |cos_M| of two purposes that are the same; by default above chance, see [Limits.cosine]
	Agreement float64 // least agreement of their policies, ties allowed; 0.95
	Gap       float64 // σ closer than this part of the larger one are nearly equal; 0.01
}

const (
	standardCosine    = 0.9
	standardAgreement = 0.95
	standardGap       = 0.01
)

func (l Limits) withDefaults() Limits {
	if l.Agreement == 0 {
		l.Agreement = standardAgreement
	}
	if l.Gap == 0 {
		l.Gap = standardGap
	}
	return l
}

// cosine returns the threshold for sets with that chance level: at least 0.9, and half way between
// the level's 95th percentile and 1.
func (l Limits) cosine(c ChanceLevel) float64 {
	if l.Cosine != 0 {
		return l.Cosine
	}
	return max(standardCosine, (1+c.P95)/2)
}
