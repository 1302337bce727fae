package linalg

import (
	"math/bits"
)

// rankPrime is the prime modulo which the rank of a matrix of integers is found, 2⁶¹ − 1.
const rankPrime = 1<<61 - 1

// gramRank returns the rank of a symmetric matrix of integers, in exact arithmetic modulo
// [rankPrime]. A rank modulo a prime is never above the rank itself, and below it only if the
// prime divides every minor of that size, of which there is no known case.
func gramRank(w *watch, gram [][]float64) (rank int, err error) {
	rows := make([][]uint64, len(gram))
	for i, row := range gram {
		rows[i] = make([]uint64, len(row))
		for j, x := range row {
			rows[i][j] = residueOf(int64(x))
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

// clearColumn eliminates the column from all rows but the first, after swapping a row with a nonzero entry there to the
// front. It returns false if there is none.
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

// residueOf returns x modulo [rankPrime], for |x| under it.
func residueOf(x int64) uint64 {
	if x < 0 {
		return uint64(x + rankPrime)
	}
	return uint64(x)
}

// reduceResidue returns x modulo [rankPrime], for x under twice that.
func reduceResidue(x uint64) uint64 {
	if x >= rankPrime {
		return x - rankPrime
	}
	return x
}

// multiplyResidues returns xy modulo [rankPrime]: 2⁶¹ is 1 there, so the upper bits of the product
// are added to the lower ones.
func multiplyResidues(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return reduceResidue(low&rankPrime + (high<<3 | low>>61))
}

// invertResidue returns 1/x modulo [rankPrime], which is x to the power of the prime minus 2
// (Fermat's little theorem).
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
