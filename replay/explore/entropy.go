package explore

import "math"

// entropyBits returns the entropy of visits, given the positive counts of the states in ascending
// order: log₂ N − Σ c log₂ c / N.
func entropyBits(counts []int64) float64 {
	total, sum := int64(0), 0.0
	for i := 0; i < len(counts); {
		c, same := counts[i], int64(0)
		for ; i < len(counts) && counts[i] == c; i++ {
			same++
		}
		total += c * same
		sum += float64(float64(c*same) * log2(float64(c)))
	}
	if len(counts) < 2 {
		return 0
	}
	return log2(float64(total)) - sum/float64(total)
}

// log2 returns log₂ x of a positive number, the same bits on every machine, which [math.Log2] does
// not promise. It takes x = m·2^e with m from √½ to √2, and ln m = 2·artanh(s) with s = (m−1)/(m+1),
// whose series is summed until s² makes the rest smaller than half a unit in the last place.
func log2(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1)
	square, sum := float64(s*s), 0.0
	for k := 25; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(e) + float64(float64(2*s*sum)/math.Ln2)
}
