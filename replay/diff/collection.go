package diff

// A collection is a list of things that can be compared with each other: purposes or options.
type collection interface {
	// similarTo returns a function of other lists of things, which is safe for several goroutines: the similarity, from
	// 0 to 1, of each of them with each of list.
	similarTo(list []int) func(of []int) ([][]float64, error)

	// reaching returns those of the things before the i-th of list, in their order, whose similarity to it is at least
	// limit, as places in list.
	reaching(list []int, i int, limit float64) ([]int, error)
}

// upTo returns the numbers 0, 1, … below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
