package diff

// A collection is a list of things that can be compared with each other: purposes or options.
type collection interface {
	// similarity returns the similarity of things i and j, from 0 to 1.
	similarity(i, j int) (float64, error)

	// reaches reports whether it is at least limit.
	reaches(i, j int, limit float64) (bool, error)
}
