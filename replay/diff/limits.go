package diff

// Limits holds the thresholds for sameness. The zero value of a field stands for its default.
type Limits struct {
	Cosine    float64 // least |cos_M| of two purposes that are the same; [Threshold]
	Agreement float64 // least similarity of two options that are the same; [Threshold]
	Gap       float64 // σ closer than this part of the larger one are nearly equal; 0.01
}

// Threshold is the similarity from which on two purposes, or two options, are the same: everywhere, and
// whatever the sets that they come from. |cos_M| = 0.95 is an angle of 18°. On the paper's ring the best
// matches of random sets of the sizes that occur have their 95th percentile at 0.91 to 0.94, so that fewer than
// one in twenty of them reaches it; every comparison reports the chance level of its own sets beside it.
const Threshold = 0.95

const standardGap = 0.01

// WithDefaults returns the limits with their defaults filled in.
func (l Limits) WithDefaults() Limits {
	if l.Cosine == 0 {
		l.Cosine = Threshold
	}
	if l.Agreement == 0 {
		l.Agreement = Threshold
	}
	if l.Gap == 0 {
		l.Gap = standardGap
	}
	return l
}
