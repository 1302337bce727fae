package diff

import "math/bits"

// neighbours tells which items are within the threshold of each other: a symmetric relation that
// holds of each item and itself, one bit a pair.
type neighbours struct {
	words int
	rows  []uint64
}

func newNeighbours(n int) *neighbours {
	words := (n + 63) / 64
	return &neighbours{words: words, rows: make([]uint64, n*words)}
}

func (m *neighbours) join(i, j int) {
	m.rows[i*m.words+j/64] |= 1 << (j % 64)
	m.rows[j*m.words+i/64] |= 1 << (i % 64)
}

// of returns the items within the threshold of item i, itself included, in rising order.
func (m *neighbours) of(i int) []int {
	var list []int
	for w, word := range m.rows[i*m.words : (i+1)*m.words] {
		for ; word != 0; word &= word - 1 {
			list = append(list, 64*w+bits.TrailingZeros64(word))
		}
	}
	return list
}
