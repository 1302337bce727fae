package linalg

import (
	"math/bits"
)

// rankPrime is the modulus of gramRank, the prime 2⁶¹ − 1.
const rankPrime = 1<<61 - 1

// gramRank returns the rank of a symmetric matrix of integers. It computes exactly, modulo [rankPrime].
// The rank modulo a prime is at most the rank r over the integers, and less only if the prime divides
// every minor of size r. No case of that is known.
func gramRank(w *watch, gram [][]float64) (rank int, err error) {
	rows := make([][]uint64, len(gram))
	for i, row := range gram {
		rows[i] = make([]uint64, len(row))
		for j, x := range row {
			residue := int64(x)
			if residue < 0 {
				residue += rankPrime
			}
			rows[i][j] = uint64(residue)
		}
	}
	for column := range rows {
		if clearColumn(rows[rank:], column) {
			rank++
		}
		left := float64(len(rows) - rank)
		if err := w.advance(left * float64(len(rows)-column)); err != nil {
			return 0, err
		}
	}
	return rank, nil
}

// clearColumn swaps a row with a nonzero entry in the column to the front, and eliminates the column from the other
// rows. It returns false if no row has such an entry.
func clearColumn(rows [][]uint64, column int) bool {
	pivot := 0
	for pivot < len(rows) && rows[pivot][column] == 0 {
		pivot++
	}
	if pivot == len(rows) {
		return false
	}
	rows[0], rows[pivot] = rows[pivot], rows[0]
	first := rows[0][column:]
	inverse := invertResidue(first[0])
	for _, row := range rows[1:] {
		if row[column] == 0 {
			continue
		}
		factor := rankPrime - multiplyResidues(row[column], inverse)
		row = row[column:]
		for j, x := range first {
			row[j] = reduceResidue(row[j] + multiplyResidues(factor, x))
		}
	}
	return true
}

// reduceResidue returns x modulo [rankPrime], for x < 2 rankPrime.
func reduceResidue(x uint64) uint64 {
	if x >= rankPrime {
		return x - rankPrime
	}
	return x
}

// multiplyResidues returns xy modulo [rankPrime]. Since 2⁶¹ ≡ 1, it adds the bits of the product from
// the 61st up to the lower ones.
func multiplyResidues(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return reduceResidue(low&rankPrime + (high<<3 | low>>61))
}

// invertResidue returns 1/x modulo [rankPrime]: by Fermat's little theorem, x to the power of
// rankPrime − 2.
func invertResidue(x uint64) uint64 {
	result := uint64(1)
	for exponent := uint64(rankPrime - 2); exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			result = multiplyResidues(result, x)
		}
		x = multiplyResidues(x, x)
	}
	return result
}
